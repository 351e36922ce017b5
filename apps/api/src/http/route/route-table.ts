import { Router, type RequestHandler } from 'express';
import type { Methods } from './endpoint.ts';
import type { ServeDeps } from './exchange.ts';
import { serve } from './serve.ts';

/** Registers the methods of a path like `/CompanyWebhooks/:id`. */
export type AddRoute = (path: string, methods: Methods) => void;

/** A path with the methods. */
export interface Route {
  readonly path: string;
  readonly methods: Methods;
}

export interface RouteTable {
  readonly add: AddRoute;
  /** All routes, in the order of `add`. */
  readonly routes: readonly Route[];
  readonly handler: RequestHandler;
}

/**
 * All paths below the version, found by the first segment. A single Express router tries all layers in turn, of which
 * five entities have dozens, on every event; with a router per collection a request meets the few layers of the
 * collection (`path-case.test.ts` for the folding of the first segment). Express ignores case and trailing slashes of
 * the rest.
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
      // Not the url, which may begin with scheme and host.
      const router = routers.get(firstSegment(request.path));
      if (router === undefined) next();
      else router(request, response, next);
    },
  };
}

/** The path of a collection's query or of a record, whichever accepts the method. */
function oneBelow(routes: readonly Route[], path: string, method: string): string | undefined {
  const accepts = (one: string) => routes.some((route) => route.path === one && Object.hasOwn(route.methods, method));
  return [`${path}/query`, `${path}/:id`].find(accepts);
}

function firstSegment(path: string): string {
  return (/^\/([^/]*)/.exec(path)?.[1] ?? '').toLowerCase();
}
