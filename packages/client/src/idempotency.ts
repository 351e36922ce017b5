import type { Middleware } from 'openapi-fetch';
import { pathsWithKey } from './paths-with-key.ts';

/**
 * Gives every request that takes one an `Idempotency-Key`, unless it has one: repeated, it gets the answer of the first,
 * and nothing is done twice. A key of your own makes this hold beyond the life of your process.
 */
export const addIdempotencyKey: Middleware = {
  onRequest({ request, schemaPath }) {
    const takesKey = pathsWithKey.has(`${request.method} ${schemaPath}`);
    if (takesKey && !request.headers.has('Idempotency-Key')) {
      request.headers.set('Idempotency-Key', crypto.randomUUID());
    }
  },
};
