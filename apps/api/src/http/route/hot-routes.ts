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
 * Serves the writes of events and records, which are nearly all requests of a busy installation, before the general router
 * and its middleware see them. Only what is spelled as it is documented comes this way, without a query: all else, and
 * every method that is no such write, goes on. What is answered does not depend on the way.
 * @param root what comes before the paths of the routes.
 * @param before what the general way does with every request before it routes; none of it waits.
 */
export function hotRoutes(
  root: string,
  routes: readonly ServedRoute[],
  before: readonly RequestHandler[],
): RequestHandler {
  const paths = new Map<string, HotPath>();
  for (const route of routes) {
    if (!Object.values(route.methods).some((one) => 'isIntake' in one && one.isIntake)) continue;
    const names = [...route.path.matchAll(/:(\w+)/gu)].map(([, name = '']) => name);
    paths.set(route.path.replaceAll(/:\w+/gu, ':'), { ...route, names });
  }

  /** The path of a request that is a hot one; tells its placeholders to the request. */
  function find(request: Request): HotPath | undefined {
    const { url } = request;
    if (!url.startsWith(root)) return undefined;
    const [, collection = '', id, below = '', idBelow] = SHAPE.exec(url.slice(root.length)) ?? [];
    const hot = paths.get(`${collection}${id === undefined ? '' : '/:'}${below}${idBelow === undefined ? '' : '/:'}`);
    const endpoint = hot?.methods[request.method as Method];
    if (hot === undefined || endpoint === undefined || !('isIntake' in endpoint)) return undefined;
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
