import { Router, type Request } from 'express';
import { Problem } from '@callout/core/errors';
import type { Administration, Page } from '@callout/db/tenants/operator';
import type { StatisticsReader } from '@callout/db/statistics';
import { item, ok, send, type Answer } from '../../http/answer.ts';
import { readJsonBody } from '../../http/body/json-body.ts';
import { MAX_SMALL_ID, pathId } from '../../http/route/path-id.ts';
import { noteForLog } from '../../http/server/request-log.ts';
import { HttpProblem } from '../../http/errors/http-problem.ts';
import { hostUrl } from '../../http/server/host-url.ts';
import { periodOf } from '../../statistics/period.ts';
import { statisticsItem } from '../../statistics/statistics-item.ts';
import type { ConsoleLinks } from './console-links.ts';

export interface OperatorRouteDeps {
  readonly administration: Administration;
  readonly maxBodyBytes: number;
  /** Hosts that answers may name, beside loopback ones. */
  readonly allowedHosts: readonly string[];
  readonly statistics: StatisticsReader;
  /** Undefined: there is no console. */
  readonly consoleLinks: ConsoleLinks | undefined;
}

interface OperatorCall {
  /** The id behind a placeholder of the path. */
  readonly id: (placeholder: string) => number;
  readonly page: () => Page;
  /** The query of the URL; keys are in lower case. */
  readonly query: Readonly<Record<string, string>>;
  readonly body: () => Promise<unknown>;
  /** Scheme, host and port that the caller used, when they can be believed; see `hostUrl`. */
  readonly hostUrl: () => string | undefined;
}

type Methods = Readonly<Partial<Record<'GET' | 'POST' | 'PATCH' | 'DELETE', (call: OperatorCall) => Promise<Answer>>>>;

const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 500;

/** Everything below `/operator/v1`. Answers have the envelopes of the REST API: `item`, `items`, `errors`. */
export function operatorRoutes(deps: OperatorRouteDeps): Router {
  const { administration, maxBodyBytes, allowedHosts, consoleLinks, statistics } = deps;
  const { zones, tenants, resources, credentials, lockouts } = administration;
  const router = Router();

  function add(path: string, methods: Methods): void {
    const allowed = Object.keys(methods);
    router.all(path, async (request, response) => {
      noteForLog(response, { route: `/operator/v1${path}` });
      const handle = methods[(request.method === 'HEAD' ? 'GET' : request.method) as keyof Methods];
      if (handle === undefined) throw HttpProblem.methodNotAllowed(allowed);
      send(response, await handle(callOf(request)));
    });
  }

  const callOf = (request: Request): OperatorCall => ({
    id: (placeholder) => pathId(String(request.params[placeholder]), MAX_SMALL_ID),
    page: () => idPageOf(request.query as Query),
    query: request.query as Query,
    body: () => readJsonBody(request, maxBodyBytes),
    hostUrl: () => hostUrl(request, allowedHosts),
  });

  add('/zones', {
    GET: async ({ page }) => listed(page(), (one) => zones.list(one)),
    POST: async ({ body }) => item(await zones.create(await body())),
  });
  add('/zones/:zoneId', {
    GET: async ({ id }) => item(await zones.read(id('zoneId'))),
    PATCH: async ({ id, body }) => item(await zones.update(id('zoneId'), await body())),
  });

  add('/tenants', {
    GET: async ({ page }) => listed(page(), (one) => tenants.list(one)),
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
      const page = { after: endOf(query['after']), limit: limitOf(query) };
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
  return router;
}

/** A page of what has ids. */
function listed(page: Page, list: (page: Page) => Promise<readonly { readonly id: number }[]>): Promise<Answer> {
  return pageOf(page, list, ({ id }) => id);
}

/**
 * A page, and where the next one begins: `?after=` the mark of its last item; null after the last page. Items with one mark
 * come on one page.
 */
async function pageOf<Item, SomePage extends { readonly limit: number }>(
  page: SomePage,
  list: (page: SomePage) => Promise<readonly Item[]>,
  markOf: (item: Item) => number | string,
): Promise<Answer> {
  const found = await list({ ...page, limit: page.limit + 1 });
  const last = found[page.limit - 1];
  if (last === undefined || found.length <= page.limit) return ok({ items: found, nextAfter: null });
  const mark = markOf(last);
  return ok({ items: found.slice(0, found.findLastIndex((one) => markOf(one) === mark) + 1), nextAfter: mark });
}

type Query = OperatorCall['query'];

function idPageOf(query: Query): Page {
  return { after: wholeNumber('after', query['after'] ?? '0', 0, MAX_SMALL_ID), limit: limitOf(query) };
}

function limitOf({ limit = String(DEFAULT_PAGE_SIZE) }: Query): number {
  return wholeNumber('limit', limit, 1, MAX_PAGE_SIZE);
}

/** When the last lockout of the page before ends. */
function endOf(after: string | undefined): Date | null {
  if (after === undefined) return null;
  const end = new Date(after);
  if (!Number.isNaN(end.getTime()) && end.toISOString() === after) return end;
  throw Problem.invalid('after must be the nextAfter of the page before.', 'after');
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw Problem.invalid(`${name} must be a whole number from ${min} to ${max}.`, name);
}
