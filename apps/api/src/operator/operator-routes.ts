import { Router, type RequestHandler } from 'express';
import { operationNames, operations } from '@callout/domain/operations/operations';
import type { Database } from '@callout/database/connection/database';
import { ok, send } from '../http/api-response.ts';
import { refuseVersions } from '../http/conditional/preconditions.ts';
import { HttpProblem } from '../http/http-problem.ts';
import { noteForLog } from '../http/server/request-log.ts';
import { accessHandlers, type AccessDeps } from './access-handlers.ts';
import { maintenanceHandlers, type MaintenanceDeps } from './maintenance-handlers.ts';
import { operatorCallOf, type Handlers, type OperatorHandler } from './operator-call.ts';
import { operatorDocument } from './operations/operator-document.ts';
import { statusHandlers, type StatusDeps } from './status-handlers.ts';
import { serveTenantExport } from './tenant-export.ts';
import { tenantHandlers, type TenantDeps } from './tenant-handlers.ts';

export interface OperatorRouteDeps extends StatusDeps, MaintenanceDeps, TenantDeps, AccessDeps {
  /** Below `/tenants/{tenantId}/v1.0`. */
  readonly operatedTenants: RequestHandler;
  readonly maxBodyBytes: number;
  /** Hosts that responses may name, besides loopback ones. */
  readonly allowedHosts: readonly string[];
  /** A pool of a single connection, without a limit on the time of a statement. */
  readonly openSlowPool: () => Database['pool'];
}

/** Everything below `/operator/v1`. Answers have the envelopes of the REST API: `item`, `items`, `errors`. */
export function operatorRoutes(deps: OperatorRouteDeps): Router {
  const { administration, openSlowPool } = deps;
  const router = Router();
  const handlers: Handlers = {
    ...tenantHandlers(deps),
    ...accessHandlers(deps),
    ...statusHandlers(deps),
    ...maintenanceHandlers(deps),
  };
  const paths = new Map<string, Record<string, OperatorHandler>>();
  for (const name of operationNames) {
    const { method, path } = operations[name];
    const handle = handlers[name];
    if (handle !== undefined) paths.set(path, { ...paths.get(path), [method]: handle });
  }
  router.get('/openapi.json', serveOperatorDocument());
  router.use('/tenants/:tenantId/v1.0', deps.operatedTenants);
  router.all(operations.exportTenant.path, serveTenantExport({ tenants: administration.tenants, openSlowPool }));
  for (const [path, methods] of paths) {
    router.all(path, async (request, response) => {
      noteForLog(response, { route: `/operator/v1${path}` });
      const handle = methods[request.method === 'HEAD' ? 'GET' : request.method];
      if (handle === undefined) throw HttpProblem.methodNotAllowed(Object.keys(methods));
      if (handle !== methods['GET']) refuseVersions(request.headers, request.method === 'POST');
      send(response, await handle(operatorCallOf(request, deps)));
    });
  }
  return router;
}

/** The operations are equal for every installation: the document is made once, on the first request. */
function serveOperatorDocument(): RequestHandler {
  let document: ReturnType<typeof operatorDocument> | undefined;
  return (_request, response) => {
    noteForLog(response, { route: '/operator/v1/openapi.json' });
    send(response, ok((document ??= operatorDocument())));
  };
}
