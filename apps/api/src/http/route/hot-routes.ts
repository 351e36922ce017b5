import type { Request, RequestHandler } from 'express';
import type { Method } from './endpoint.ts';
import type { ServedRoute } from './route-table.ts';

interface HotPath extends ServedRoute {
  /** Of its placeholders, in their order. */
  readonly names: readonly string[];
}

/** One collection, or one below a record, each with or without an id: `/Companies/5/Contacts/7`. */
const SHAPE = /^(\/[A-Za-z]+)(?:\/(\d+))?(\/[A-Za-z]+)?(?:\/(\d+))?$/;

/**
 * Serves the writes of events and records, which are nearly all requests of a busy installation, before the general
 * router and its middleware. Only paths in their documented spelling and without a query are served here; other
 * requests and methods go on to the router. The response is the same on both ways.
 * @param root the prefix of the routes.
 * @param before the handlers that the general way runs for every request before it routes; none of them waits.
 */
export function hotRoutes(
  root: string,
  routes: readonly ServedRoute[],
  before: readonly RequestHandler[],
): RequestHandler {
  const paths = new Map<string, HotPath>();
  for (const route of routes) {
    if (!Object.values(route.methods).some((one) => 'isIngest' in one && one.isIngest)) continue;
    const names = [...route.path.matchAll(/:(\w+)/gu)].map(([, name = '']) => name);
    paths.set(route.path.replaceAll(/:\w+/gu, ':'), { ...route, names });
  }

  /** The hot path of a request; sets its placeholders on the request. */
  function find(request: Request): HotPath | undefined {
    const { url } = request;
    if (!url.startsWith(root)) return undefined;
    const [, collection = '', id, below = '', idBelow] = SHAPE.exec(url.slice(root.length)) ?? [];
    const hot = paths.get(`${collection}${id === undefined ? '' : '/:'}${below}${idBelow === undefined ? '' : '/:'}`);
    const endpoint = hot?.methods[request.method as Method];
    if (hot === undefined || endpoint === undefined || !('isIngest' in endpoint)) return undefined;
    const ids = [id, idBelow].filter((one) => one !== undefined);
    request.params = Object.fromEntries(hot.names.map((name, nth) => [name, ids[nth] ?? '']));
    return hot;
  }

  return (request, response, next) => {
    const hot = find(request);
    if (hot === undefined) return next();
    for (const step of before) void step(request, response, passOn);
    return hot.handler(request, response, next);
  };
}

const passOn = (): void => undefined;
