import { Router } from 'express';
import { ok, send } from '../http/api-response.ts';
import { consoleFiles } from './console-files.ts';
import { sessionRoutes, type SessionRouteDeps } from './session-routes.ts';

interface ConsoleAppDeps extends SessionRouteDeps {
  /** The kind of page: for the users of a tenant, or for operators. */
  readonly mode: 'tenant' | 'operator';
  /** Before `/v1.0` or, for operators, `/v1`. */
  readonly apiRoot: string;
  /** Of Callout itself. */
  readonly version: string;
  /** Where the page was built to. */
  readonly directory: string;
  readonly portalOrigins: readonly string[];
}

/** Everything below `/console`. */
export function consoleApp(deps: ConsoleAppDeps): Router {
  const { mode, apiRoot, version, directory, portalOrigins } = deps;
  const config = { mode, apiRoot, version };
  const router = Router();
  // The settings of the page before the user has signed in.
  router.get('/config.json', (_request, response) => send(response, ok(config)));
  router.use(sessionRoutes(deps));
  router.use(consoleFiles({ directory, portalOrigins }));
  return router;
}
