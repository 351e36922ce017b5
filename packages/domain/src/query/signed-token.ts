import { createHmac, timingSafeEqual } from 'node:crypto';
import { Problem } from '../problem.ts';

/** The scope in which a token is valid: a collection of a tenant. */
export interface CursorScope {
  readonly tenantId: number;
  /** In canonical spelling, with the parent's id where there is one: `Companies`, `CompanyWebhooks/5/Fields`. */
  readonly collection: string;
}

/** Tokens of JSON, bound to tenant and collection by HMAC-SHA256. Nothing in them is secret. */
export interface SignedTokens {
  sign(scope: CursorScope, content: unknown): string;
  /**
   * @throws an `invalid` Problem when the token is invalid, was made for another tenant or collection, or by other
   * keys.
   */
  verify(scope: CursorScope, token: unknown): unknown;
}

/** Tokens travel in URLs, and proxies cut those at 8 KB. */
export const maxTokenLength = 4095;
export const macBytes = 16;

/**
 * Tokens for a `purpose`: a changed token, or a token used elsewhere, is refused. All API processes need the same
 * `keys`, each at least 32 random bytes; the keys may have further purposes, since the tokens' keys are derived. The
 * first one makes tokens, the others accept tokens from before a rotation.
 */
export function createSignedTokens(keys: readonly Uint8Array[], purpose: string): SignedTokens {
  const macs = keys.map((key) => macWith(key, purpose));
  const [newMac] = macs;
  if (!newMac) throw new Error('cursors need a key');
  return {
    sign(scope, content) {
      const bytes = Buffer.from(JSON.stringify(content));
      return Buffer.concat([newMac(scope, bytes), bytes]).toString('base64url');
    },
    verify(scope, token) {
      const isToken = typeof token === 'string' && token.length <= maxTokenLength;
      const bytes = Buffer.from(isToken ? token : '', 'base64url');
      const [mac, content] = [bytes.subarray(0, macBytes), bytes.subarray(macBytes)];
      if (mac.length < macBytes || !macs.some((one) => timingSafeEqual(mac, one(scope, content)))) {
        throw invalidToken('paging is no token of this collection: start with the query again');
      }
      return JSON.parse(content.toString());
    },
  };
}

/** An `invalid` Problem with the parameter that carries the token. */
export function invalidToken(message: string): Problem {
  return Problem.invalid(message, 'paging');
}

/** Proves that content was made here, for a collection of a tenant. */
type Mac = (scope: CursorScope, content: Buffer) => Buffer;

function macWith(key: Uint8Array, purpose: string): Mac {
  if (key.length < 32) throw new Error(`a key for cursors has at least 32 bytes, not ${key.length}`);
  const tokenKey = createHmac('sha256', key).update(purpose).digest();
  return ({ tenantId, collection }, content) =>
    createHmac('sha256', tokenKey)
      .update(`${JSON.stringify([tenantId, collection])}\n`)
      .update(content)
      .digest()
      .subarray(0, macBytes);
}
