import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Problem } from '@callout/domain/problem';

/** The `Idempotency-Key` of a request, and the request's identity. */
export interface GivenIdempotencyKey {
  readonly key: string;
  /** Method and path as registered, like `PATCH /Companies/:id`. */
  readonly route: string;
  /** SHA-256 of the body's bytes. */
  readonly bodyHash: Buffer;
}

/** 1 to 255 visible ASCII characters. Two headers arrive as one text, with a comma and a blank between: no key. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** Undefined without the header. Throws a 400 Problem when the header is no key. */
export function givenIdempotencyKey(
  request: IncomingMessage,
  path: string,
  body: Buffer | undefined,
): GivenIdempotencyKey | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw Problem.invalid('Idempotency-Key must be 1 to 255 visible ASCII characters.', 'Idempotency-Key');
  }
  return { key, route: `${request.method} ${path}`, bodyHash: hash('sha256', body ?? '', 'buffer') };
}
