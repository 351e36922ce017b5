import { Router } from 'express';
import { Problem } from '@callout/core/errors';
import type { Database } from '@callout/db/connection';
import type { Administration } from '@callout/db/tenants/operator';
import type { StatisticsReader } from '@callout/db/statistics';
import { item, ok, send } from '../../http/answer.ts';
import { MAX_SMALL_ID, pathId } from '../../http/route/path-id.ts';
import { noteForLog } from '../../http/server/request-log.ts';
import { HttpProblem } from '../../http/errors/http-problem.ts';
import { periodOf } from '../../statistics/period.ts';
import { statisticsItem } from '../../statistics/statistics-item.ts';
import type { ConsoleLinks } from '@callout/db/console';
import { addMaintenanceRoutes, type MaintenanceRouteDeps } from './maintenance-routes.ts';
import {
  limitOf,
  listed,
  operatorCallOf,
  pageOf,
  type AddOperatorRoute,
  type OperatorMethods,
} from './operator-call.ts';
import { addStatusRoutes, type StatusRouteDeps } from './status-routes.ts';
import { serveTenantExport } from './tenant-export.ts';

export interface OperatorRouteDeps extends StatusRouteDeps, MaintenanceRouteDeps {
  readonly administration: Administration;
  readonly maxBodyBytes: number;
  /** Hosts that answers may name, beside loopback ones. */
  readonly allowedHosts: readonly string[];
  readonly statistics: StatisticsReader;
  /** A pool of one connection, without a limit on the time of a statement. */
  readonly openSlowPool: () => Database['pool'];
  /** Undefined: there is no console. */
  readonly consoleLinks: ConsoleLinks | undefined;
}

/** Everything below `/operator/v1`. Answers have the envelopes of the REST API: `item`, `items`, `errors`. */
export function operatorRoutes(deps: OperatorRouteDeps): Router {
  const { administration, consoleLinks, statistics, openSlowPool } = deps;
  const { zones, tenants, resources, credentials, lockouts } = administration;
  const router = Router();

  const add: AddOperatorRoute = (path, methods) => {
    const allowed = Object.keys(methods);
    router.all(path, async (request, response) => {
      noteForLog(response, { route: `/operator/v1${path}` });
      const handle = methods[(request.method === 'HEAD' ? 'GET' : request.method) as keyof OperatorMethods];
      if (handle === undefined) throw HttpProblem.methodNotAllowed(allowed);
      send(response, await handle(operatorCallOf(request, deps)));
    });
  };

  add('/zones', {
    GET: async ({ page }) => listed(page(), (one) => zones.list(one)),
    POST: async ({ body }) => item(await zones.create(await body())),
  });
  add('/zones/:zoneId', {
    GET: async ({ id }) => item(await zones.read(id('zoneId'))),
    PATCH: async ({ id, body }) => item(await zones.update(id('zoneId'), await body())),
  });

  add('/tenants', {
    GET: async ({ page, query: { search } }) => listed(page(), (one) => tenants.list(one, search)),
    POST: async ({ body }) => item(await tenants.create(await body())),
  });
  add('/tenants/:tenantId', {
    GET: async ({ id }) => item(await tenants.read(id('tenantId'))),
    PATCH: async ({ id, body }) => item(await tenants.update(id('tenantId'), await body())),
    // What it has is erased by the workers, which may take long.
    DELETE: async ({ id, query: { name = '' } }) => ({
      status: 202,
      body: { item: await tenants.remove(id('tenantId'), name) },
    }),
  });

  router.get('/tenants/:tenantId/export', serveTenantExport({ tenants, openSlowPool }));
  add('/tenants/:tenantId/resources', {
    GET: async ({ id, page }) => listed(page(), (one) => resources.list(id('tenantId'), one)),
    POST: async ({ id, body }) => item(await resources.create(id('tenantId'), await body())),
  });
  add('/tenants/:tenantId/resources/:resourceId', {
    GET: async ({ id }) => item(await resources.read(id('tenantId'), id('resourceId'))),
    PATCH: async ({ id, body }) => item(await resources.update(id('tenantId'), id('resourceId'), await body())),
  });

  add('/tenants/:tenantId/credentials', {
    GET: async ({ id, page }) => listed(page(), (one) => credentials.list(id('tenantId'), one)),
    POST: async ({ id, body }) => item(await credentials.create(id('tenantId'), await body())),
  });
  add('/tenants/:tenantId/credentials/:credentialId', {
    GET: async ({ id }) => item(await credentials.read(id('tenantId'), id('credentialId'))),
    PATCH: async ({ id, body }) => item(await credentials.update(id('tenantId'), id('credentialId'), await body())),
    DELETE: async ({ id }) => item(await credentials.revoke(id('tenantId'), id('credentialId'))),
  });
  add('/tenants/:tenantId/credentials/:credentialId/reissue', {
    POST: async ({ id }) => item(await credentials.reissue(id('tenantId'), id('credentialId'))),
  });

  // Of the whole installation, or of one tenant.
  add('/statistics', {
    GET: async ({ query }) => {
      const { tenantid: tenantId, groupby: groupBy } = query;
      const period = periodOf(query, new Date());
      const scope = { tenantId: tenantId === undefined ? null : pathId(tenantId, MAX_SMALL_ID) };
      if (groupBy !== undefined && groupBy !== 'tenant' && groupBy !== 'webhook' && groupBy !== 'entity') {
        throw Problem.invalid('groupBy must be tenant, webhook or entity', 'groupBy');
      }
      return item(await statisticsItem(statistics, scope, period, groupBy));
    },
  });

  if (consoleLinks !== undefined) {
    add('/tenants/:tenantId/portalLinks', {
      POST: async ({ id, body }) => item(await consoleLinks.portal(id('tenantId'), await body())),
    });
    add('/tenants/:tenantId/signInLinks', {
      POST: async ({ id, body }) => item(await consoleLinks.signIn(id('tenantId'), await body())),
    });
    add('/signInLinks', {
      POST: async ({ body, hostUrl: ownUrl }) => item(await consoleLinks.operator(await body(), ownUrl())),
    });
  }

  add('/lockouts', {
    GET: async ({ query }) => {
      const { tenantid: ofTenant } = query;
      const tenantId = ofTenant === undefined ? null : pathId(ofTenant, MAX_SMALL_ID);
      const page = { after: endOf(query['after']), limit: limitOf(query), tenantId };
      return pageOf(
        page,
        (one) => lockouts.list(one),
        ({ endDateTime }) => endDateTime.toISOString(),
      );
    },
    // A user name may hold anything that a path cannot, so it comes in the query.
    DELETE: async ({ query: { username: userName, address } }) => {
      if (userName === undefined || userName === '') {
        const message = 'userName is required: DELETE /lockouts?userName=';
        throw Problem.invalid([{ code: 'required', field: 'userName', message }]);
      }
      return ok({ lifted: await lockouts.lift(userName, address) });
    },
  });
  addStatusRoutes(add, deps);
  addMaintenanceRoutes(add, deps);
  return router;
}

/** When the last lockout of the page before ends. */
function endOf(after: string | undefined): Date | null {
  if (after === undefined) return null;
  const end = new Date(after);
  if (!Number.isNaN(end.getTime()) && end.toISOString() === after) return end;
  throw Problem.invalid('after must be the nextAfter of the page before.', 'after');
}
