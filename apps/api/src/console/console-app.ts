import { Router } from 'express';
import { ok, send } from '../http/answer.ts';
import { consoleFiles } from './console-files.ts';
import { sessionRoutes, type SessionRouteDeps } from './session-routes.ts';

interface ConsoleAppDeps extends SessionRouteDeps {
  /** What the page is at this address: that of a tenant's people, or that of operators. */
  readonly mode: 'tenant' | 'operator';
  /** Before `/v1.0` or, for operators, `/v1`. */
  readonly apiRoot: string;
  /** Of Callout itself. */
  readonly version: string;
  /** Where the page was built to. */
  readonly directory: string;
  readonly portalOrigins: readonly string[];
}

/** All that there is below `/console`. */
export function consoleApp(deps: ConsoleAppDeps): Router {
  const { mode, apiRoot, version, directory, portalOrigins } = deps;
  const config = { mode, apiRoot, version };
  const router = Router();
  // What the page must know before the user has signed in.
  router.get('/config.json', (_request, response) => send(response, ok(config)));
  router.use(sessionRoutes(deps));
  router.use(consoleFiles({ directory, portalOrigins }));
  return router;
}
