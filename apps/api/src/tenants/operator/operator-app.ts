import express, { type Express, type RequestHandler } from 'express';
import { Problem } from '@callout/core/errors';
import type { Logger } from '@callout/runtime/log';
import { clientAddress } from '../../http/auth/client-address.ts';
import { answerFailures, unknownPath } from '../../http/errors/failure.ts';
import { jsonApiHeaders } from '../../http/server/json-api-headers.ts';
import { normalPath } from '../../http/route/normal-path.ts';
import { parseQueryKeys } from '../../http/route/query-keys.ts';
import { logRequests } from '../../http/server/request-log.ts';
import { sameText } from '../../http/auth/same-text.ts';
import { operatorRoutes, type OperatorRouteDeps } from './operator-routes.ts';
import { createWrongTokens } from './wrong-tokens.ts';

export interface OperatorAppDeps extends OperatorRouteDeps {
  readonly log: Logger;
  readonly token: string;
  readonly isDatabaseAway: (error: unknown) => boolean;
}

/**
 * The operator API, on a port of its own: with its token one sets up zones, tenants, resources and credentials.
 * Without it every path is 401, known or not; an address that tries out tokens is 429 for a while.
 */
export function createOperatorApp(deps: OperatorAppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', parseQueryKeys);
  app.use(normalPath());
  app.use(logRequests(deps.log));
  app.use(jsonApiHeaders());
  app.use(requireToken(deps));
  app.use('/operator/v1', operatorRoutes(deps));
  app.use(unknownPath);
  app.use(answerFailures(deps));
  return app;
}

function requireToken({ token, log }: OperatorAppDeps): RequestHandler {
  const wrongTokens = createWrongTokens();
  return (request, response, next) => {
    const address = clientAddress(request);
    wrongTokens.refuse(address);
    const [, given = ''] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? [];
    if (sameText(given, token)) {
      next();
      return;
    }
    if (given !== '' && wrongTokens.count(address)) {
      log.warn({ address }, 'too many wrong operator tokens: this address is refused for a minute');
    }
    response.setHeader('WWW-Authenticate', 'Bearer');
    throw Problem.unauthorized('The operator API needs the header Authorization: Bearer with the OPERATOR_TOKEN.');
  };
}
