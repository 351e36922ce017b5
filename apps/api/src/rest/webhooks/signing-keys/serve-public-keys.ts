import type { RequestHandler } from 'express';
import { Problem } from '@callout/domain/problem';
import { findSigningKeys } from '@callout/webhooks/signing-keys';
import type { ApiContext } from '../../../api-context.ts';
import { ok, send } from '../../../http/api-response.ts';
import { clientAddress } from '../../../http/auth/client-address.ts';
import { HttpProblem } from '../../../http/http-problem.ts';
import type { AddressLimit } from '../../../http/limits/rate.ts';
import { noteForLog } from '../../../http/server/request-log.ts';
import { jwksOf, publicKeysMaxAgeS, publicKeysPath } from './shown-keys.ts';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;

/**
 * `GET /.well-known/webhook-keys/{id}`: the public keys of a tenant as a JWKS, without credentials. Caches may keep it.
 */
export function servePublicKeys({ database: { pool } }: ApiContext, addressLimit: AddressLimit): RequestHandler {
  return async (request, response) => {
    noteForLog(response, { route: `${publicKeysPath}/:id` });
    if (request.method !== 'GET' && request.method !== 'HEAD') throw HttpProblem.methodNotAllowed(['GET', 'HEAD']);
    await addressLimit(clientAddress(request));
    const id = String(request.params['id']);
    const keys = UUID.test(id) ? await findSigningKeys(pool, id) : undefined;
    if (keys === undefined) throw Problem.notFound();
    const headers = {
      'Cache-Control': `public, max-age=${publicKeysMaxAgeS}`,
      'Content-Type': 'application/jwk-set+json',
    };
    send(response, ok(jwksOf(keys)), headers);
  };
}
