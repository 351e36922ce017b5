import express, { type Express, type RequestHandler } from 'express';
import { Problem } from '@callout/domain/problem';
import type { Logger } from '@callout/runtime/log/logger';
import type { Metrics } from '@callout/runtime/metrics/registry';
import { clientAddress } from '../http/auth/client-address.ts';
import { respondToFailures, unknownPath } from '../http/failure.ts';
import { jsonApiHeaders } from '../http/server/json-api-headers.ts';
import { normalPath } from '../http/route/normal-path.ts';
import { parseQueryKeys } from '../http/route/query-keys.ts';
import { logRequests, noteForLog } from '../http/server/request-log.ts';
import type { ApiMetrics } from '../api-metrics.ts';
import { docsDirectory, docsSite } from '../rest/service/docs-site.ts';
import { createCheckToken, type CheckToken } from './check-token.ts';
import { operatorRoutes, type OperatorRouteDeps } from './operator-routes.ts';
import type { OperatorConsole } from './operator-console.ts';
import { HttpProblem } from '../http/http-problem.ts';

export interface OperatorAppDeps extends OperatorRouteDeps {
  readonly log: Logger;
  readonly token: string;
  /** Undefined: nothing is counted. */
  readonly metrics: ApiMetrics | undefined;
  /** Undefined: absent. */
  readonly console: OperatorConsole | undefined;
}

/**
 * The operator API, on a separate port: with the token an operator sets up zones, tenants, resources and credentials.
 * Without the token every path outside the console's page and the documentation is 401, known or not; an address that
 * guesses tokens is 429 for a while.
 */
export function createOperatorApp(deps: OperatorAppDeps): Express {
  const checkToken = createCheckToken(deps);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', parseQueryKeys);
  app.use(normalPath());
  app.use(logRequests(deps.log, deps.metrics?.onResponse));
  app.use(jsonApiHeaders);
  if (deps.console !== undefined) {
    app.use('/console', deps.console.router(checkToken));
    // The pages of the console link to the documentation, and the port of the API may be out of reach for an operator.
    app.use('/docs', docsSite(docsDirectory));
  }
  app.use(requireOperator(deps, checkToken));
  app.use('/operator/v1', operatorRoutes(deps));
  if (deps.metrics !== undefined) app.all('/metrics', serveMetrics(deps.metrics));
  app.use(unknownPath());
  app.use(respondToFailures(deps.log));
  return app;
}

/** By the token, or by the cookie of the console; a header counts alone. */
function requireOperator({ console }: OperatorAppDeps, checkToken: CheckToken): RequestHandler {
  return async (request, response, next) => {
    const { authorization } = request.headers;
    const hasSession = authorization === undefined && (await console?.isOperator(request)) === true;
    if (hasSession || checkToken(bearerOf(authorization), clientAddress(request))) {
      next();
      return;
    }
    response.setHeader('WWW-Authenticate', 'Bearer');
    throw Problem.unauthorized('The operator API needs the header Authorization: Bearer with the OPERATOR_TOKEN.');
  };
}

function bearerOf(authorization = ''): string {
  const [, bearerToken = ''] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
  return bearerToken;
}

/** `GET /metrics` on the operator's port, for Prometheus. */
function serveMetrics({ contentType, text }: Metrics): RequestHandler {
  return async (request, response) => {
    noteForLog(response, { route: '/metrics' });
    if (request.method !== 'GET' && request.method !== 'HEAD') throw HttpProblem.methodNotAllowed(['GET', 'HEAD']);
    response.setHeader('Content-Type', contentType);
    response.end(await text());
  };
}
