import { Router, type RequestHandler } from 'express';
import type { Methods } from './endpoint.ts';
import type { ServeDeps } from './exchange.ts';
import { serve } from './serve.ts';

/** Registers the methods of a path such as `/CompanyWebhooks/:id`. */
export type AddRoute = (path: string, methods: Methods) => void;

/** A path with its methods. */
export interface Route {
  readonly path: string;
  readonly methods: Methods;
}

export interface RouteTable {
  readonly add: AddRoute;
  /** Everything that was added, in its order. */
  readonly routes: readonly Route[];
  readonly handler: RequestHandler;
}

/**
 * All paths below the version, found by their first segment. Express tries its layers one by one, and five entities
 * have dozens of them; with a router per collection a request meets only the few of its own. Express ignores case and
 * trailing slashes of the rest of the path; the first segment is folded here.
 */
export function createRouteTable(deps: ServeDeps): RouteTable {
  const routers = new Map<string, Router>();
  const routes: Route[] = [];
  return {
    routes,
    add(path, methods) {
      const collection = firstSegment(path);
      const router = routers.get(collection) ?? Router();
      routers.set(collection, router);
      routes.push({ path, methods });
      router.all(
        path,
        serve(path, methods, deps, (method) => oneBelow(routes, path, method)),
      );
    },
    handler(request, response, next) {
      // Not the url: that may begin with scheme and host.
      const router = routers.get(firstSegment(request.path));
      if (router === undefined) next();
      else router(request, response, next);
    },
  };
}

/** The query of a collection, or one of its records, if that accepts the method. */
function oneBelow(routes: readonly Route[], path: string, method: string): string | undefined {
  const accepts = (one: string) => routes.some((route) => route.path === one && Object.hasOwn(route.methods, method));
  return [`${path}/query`, `${path}/:id`].find(accepts);
}

function firstSegment(path: string): string {
  return (/^\/([^/]*)/.exec(path)?.[1] ?? '').toLowerCase();
}
