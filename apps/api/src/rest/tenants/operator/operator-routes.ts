import { Router, type RequestHandler } from 'express';
import { Problem } from '@callout/domain/problem';
import type { Database } from '@callout/database/connection/database';
import type { Administration } from '@callout/tenancy/operator/administration/administration';
import type { SearchDeps } from '@callout/history/search/search-transaction';
import { item, ok, send } from '../../../http/api-response.ts';
import { noteForLog } from '../../../http/server/request-log.ts';
import { HttpProblem } from '../../../http/http-problem.ts';
import { periodOf } from '../../statistics/period.ts';
import { statisticsItem } from '../../statistics/statistics-item.ts';
import type { ConsoleLinks } from '@callout/tenancy/sessions/console-links';
import { addMaintenanceRoutes, type MaintenanceRouteDeps } from './maintenance-routes.ts';
import {
  limitOf,
  listed,
  operatorCallOf,
  pageOf,
  tenantIdOf,
  type AddOperatorRoute,
  type OperatorCall,
  type OperatorHandler,
} from './operator-call.ts';
import { operatorDocument } from './operations/operator-document.ts';
import { accessOperations } from './operations/access-operations.ts';
import { statusOperations } from './operations/status-operations.ts';
import { tenantOperations } from './operations/tenant-operations.ts';
import { addSigningKeyRoutes, type SigningKeyRouteDeps } from './signing-key-routes.ts';
import { addStatusRoutes, type StatusRouteDeps } from './status-routes.ts';
import { serveTenantExport } from './tenant-export.ts';

export interface OperatorRouteDeps extends StatusRouteDeps, MaintenanceRouteDeps, SigningKeyRouteDeps {
  readonly administration: Administration;
  /** Below `/tenants/{tenantId}/v1.0`. */
  readonly operatedTenants: RequestHandler;
  readonly maxBodyBytes: number;
  /** Hosts that responses may name, besides loopback ones. */
  readonly allowedHosts: readonly string[];
  readonly search: SearchDeps;
  /** A pool of one connection, without a limit on the time of a statement. */
  readonly openSlowPool: () => Database['pool'];
  /** Undefined: there is no console. */
  readonly consoleLinks: ConsoleLinks | undefined;
}

/** Everything below `/operator/v1`. Answers have the envelopes of the REST API: `item`, `items`, `errors`. */
export function operatorRoutes(deps: OperatorRouteDeps): Router {
  const { administration, consoleLinks, search, openSlowPool } = deps;
  const { zones, tenants, resources, credentials, lockouts, callouts } = administration;
  const router = Router();

  const paths = new Map<string, Partial<Record<string, OperatorHandler>>>();
  const add: AddOperatorRoute = ({ method, path }, handle) => {
    const known = paths.get(path);
    if (known !== undefined) {
      known[method] = handle;
      return;
    }
    const handlers: Partial<Record<string, OperatorHandler>> = { [method]: handle };
    paths.set(path, handlers);
    router.all(path, async (request, response) => {
      noteForLog(response, { route: `/operator/v1${path}` });
      const asked = handlers[request.method === 'HEAD' ? 'GET' : request.method];
      if (asked === undefined) throw HttpProblem.methodNotAllowed(Object.keys(handlers));
      send(response, await asked(operatorCallOf(request, deps)));
    });
  };

  router.get('/openapi.json', serveOperatorDocument());

  add(tenantOperations.listZones, ({ page }) => listed(page(), (one) => zones.list(one)));
  add(tenantOperations.createZone, async ({ body }) => item(await zones.create(await body())));
  add(tenantOperations.readZone, async ({ id }) => item(await zones.read(id('zoneId'))));
  add(tenantOperations.updateZone, async ({ id, body }) => item(await zones.update(id('zoneId'), await body())));

  add(tenantOperations.listTenants, ({ page, query: { search } }) =>
    listed(page(), (one) => tenants.list(one, search)),
  );
  add(tenantOperations.createTenant, async ({ body }) => item(await tenants.create(await body())));
  add(tenantOperations.readTenant, async ({ id }) => item(await tenants.read(id('tenantId'))));
  add(tenantOperations.updateTenant, async ({ id, body }) => item(await tenants.update(id('tenantId'), await body())));
  // The workers erase its data, which may take long.
  add(tenantOperations.deleteTenant, async ({ id, query: { name = '' } }) => ({
    status: 202,
    body: { item: await tenants.remove(id('tenantId'), name) },
  }));
  addSigningKeyRoutes(add, deps, (tenantId) => tenants.read(tenantId));
  add(tenantOperations.findCallout, async ({ text }) => item(await callouts.find(text('calloutId'))));
  router.use('/tenants/:tenantId/v1.0', deps.operatedTenants);
  router.all(tenantOperations.exportTenant.path, serveTenantExport({ tenants, openSlowPool }));

  add(accessOperations.listResources, ({ id, page }) => listed(page(), (one) => resources.list(id('tenantId'), one)));
  add(accessOperations.createResource, async ({ id, body }) =>
    item(await resources.create(id('tenantId'), await body())),
  );
  add(accessOperations.readResource, async ({ id }) => item(await resources.read(id('tenantId'), id('resourceId'))));
  add(accessOperations.updateResource, async ({ id, body }) =>
    item(await resources.update(id('tenantId'), id('resourceId'), await body())),
  );

  add(accessOperations.listCredentials, ({ id, page }) =>
    listed(page(), (one) => credentials.list(id('tenantId'), one)),
  );
  add(accessOperations.createCredential, async ({ id, body }) =>
    item(await credentials.create(id('tenantId'), await body())),
  );
  add(accessOperations.readCredential, async ({ id }) =>
    item(await credentials.read(id('tenantId'), id('credentialId'))),
  );
  add(accessOperations.updateCredential, async ({ id, body }) =>
    item(await credentials.update(id('tenantId'), id('credentialId'), await body())),
  );
  add(accessOperations.revokeCredential, async ({ id }) =>
    item(await credentials.revoke(id('tenantId'), id('credentialId'))),
  );
  add(accessOperations.reissueCredential, async ({ id }) =>
    item(await credentials.reissue(id('tenantId'), id('credentialId'))),
  );

  // A user name may have characters that a path cannot have, so it comes in the query.
  add(accessOperations.findCredential, async ({ query }) => item(await credentials.readByUserName(userNameOf(query))));

  // Of the whole installation, or of one tenant.
  add(statusOperations.readStatistics, async ({ query }) => {
    const { groupby: groupBy } = query;
    const period = periodOf(query, new Date());
    const scope = { tenantId: tenantIdOf(query) };
    if (groupBy !== undefined && groupBy !== 'tenant' && groupBy !== 'webhook' && groupBy !== 'entity') {
      throw Problem.invalid('groupBy must be tenant, webhook or entity', 'groupBy');
    }
    return item(await statisticsItem(search, scope, period, groupBy));
  });

  if (consoleLinks !== undefined) {
    add(accessOperations.createPortalLink, async ({ id, body }) =>
      item(await consoleLinks.portal(id('tenantId'), await body())),
    );
    add(accessOperations.createSignInLink, async ({ id, body }) =>
      item(await consoleLinks.signIn(id('tenantId'), await body())),
    );
    add(accessOperations.createOperatorLink, async ({ body, hostUrl: ownUrl }) =>
      item(await consoleLinks.operator(await body(), ownUrl())),
    );
  }

  add(accessOperations.listLockouts, ({ query }) => {
    const page = { after: endOf(query['after']), limit: limitOf(query), tenantId: tenantIdOf(query) };
    return pageOf(
      page,
      (one) => lockouts.list(one),
      ({ endDateTime }) => endDateTime.toISOString(),
    );
  });
  add(accessOperations.liftLockouts, async ({ query }) =>
    ok({ lifted: await lockouts.lift(userNameOf(query), query['address']) }),
  );
  addStatusRoutes(add, deps);
  addMaintenanceRoutes(add, deps);
  return router;
}

/** Its operations are the same for every installation, so it is made once, on its first request. */
function serveOperatorDocument(): RequestHandler {
  let document: ReturnType<typeof operatorDocument> | undefined;
  return (_request, response) => {
    noteForLog(response, { route: '/operator/v1/openapi.json' });
    send(response, ok((document ??= operatorDocument())));
  };
}

function userNameOf({ username: userName }: OperatorCall['query']): string {
  if (userName !== undefined && userName !== '') return userName;
  const message = 'userName is required: give it in the query, as ?userName=';
  throw Problem.invalid([{ code: 'required', field: 'userName', message }]);
}

/** When the last lockout of the page before ends. */
function endOf(after: string | undefined): Date | null {
  if (after === undefined) return null;
  const end = new Date(after);
  if (!Number.isNaN(end.getTime()) && end.toISOString() === after) return end;
  throw Problem.invalid('after must be the nextAfter of the page before.', 'after');
}
