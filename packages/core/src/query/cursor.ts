import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Problem } from '../problem.ts';
import type { QueryableCollection } from './collection.ts';
import type { Query } from './condition.ts';
import { parseQuery } from './parse-query.ts';
import { printQuery } from './print-query.ts';

/** Where a page begins: the rows with ids above `id`, or the last ones below it. */
export interface Position {
  readonly direction: 'after' | 'before';
  readonly id: number;
}

/** What a token is good for: one collection of one tenant. */
export interface CursorScope {
  readonly tenantId: number;
  /** In canonical spelling, with the parent's id where there is one: `Companies`, `CompanyWebhooks/5/Fields`. */
  readonly collection: string;
}

/** The tokens of paging. */
export interface Cursors {
  /** A token under 4,096 characters: it holds the query too as long as there is room. */
  issue(scope: CursorScope, query: Query, position: Position): string;
  /**
   * Goes on where a token says. `body`: the query once more; needed only when the token had no room for it.
   * @throws a 400 Problem when the token is none, was made for another tenant or collection, or by other keys; when the
   * query is not in it and not in the body; when the body holds another query; when the query is no longer valid.
   */
  resume(scope: CursorScope, token: unknown, body: unknown, collection: QueryableCollection): ResumedQuery;
}

export interface ResumedQuery {
  readonly query: Query;
  readonly position: Position;
}

/** Tokens travel in URLs, and proxies cut those at 8 KB. */
const maxTokenLength = 4095;
const macBytes = 16;

/** What a token holds: direction, id, hash of the query, and the query in its own grammar, or null. */
type Content = readonly ['a' | 'b', number, string, unknown];

/**
 * Cursors whose tokens are bound to tenant and collection by HMAC-SHA256. Nothing in them is secret (the query is the
 * caller's own), but a token that was changed, or is used elsewhere, is refused. All API processes need the same `keys`,
 * each at least 32 random bytes; they may serve other ends too, since the tokens' keys are derived from them. The first
 * one makes tokens, the others are still good for those of before a rotation.
 */
export function createCursors(keys: readonly Uint8Array[]): Cursors {
  const seals = keys.map(sealWith);
  const [seal] = seals;
  if (!seal) throw new Error('cursors need a key');

  return {
    issue(scope, query, { direction, id }) {
      const text = printQuery(query);
      const write = (carried: unknown): string => {
        const content: Content = [direction === 'after' ? 'a' : 'b', id, hashOf(text), carried];
        const bytes = Buffer.from(JSON.stringify(content));
        return Buffer.concat([seal(scope, bytes), bytes]).toString('base64url');
      };
      const token = write(JSON.parse(text));
      return token.length <= maxTokenLength ? token : write(null);
    },

    resume(scope, token, body, collection) {
      const [direction, id, hash, carried] = open(scope, token, seals);
      const given = isAbsent(body) ? carried : body;
      if (given === null) {
        throw invalid('This query does not fit into its paging token: POST the same body to this address');
      }
      const query = parseQuery(given, collection);
      if (hashOf(printQuery(query)) !== hash) {
        throw invalid('The body is not the query that the paging token was made for: send the same body');
      }
      return { query, position: { direction: direction === 'a' ? 'after' : 'before', id } };
    },
  };
}

/** What proves that content was made here, for one collection of one tenant. */
type Seal = (scope: CursorScope, content: Buffer) => Buffer;

function sealWith(key: Uint8Array): Seal {
  if (key.length < 32) throw new Error(`a key for cursors has at least 32 bytes, not ${key.length}`);
  const tokenKey = createHmac('sha256', key).update('callout paging token v1').digest();
  return ({ tenantId, collection }, content) =>
    createHmac('sha256', tokenKey)
      .update(`${JSON.stringify([tenantId, collection])}\n`)
      .update(content)
      .digest()
      .subarray(0, macBytes);
}

function open(scope: CursorScope, token: unknown, seals: readonly Seal[]): Content {
  const isToken = typeof token === 'string' && token.length <= maxTokenLength;
  const bytes = Buffer.from(isToken ? token : '', 'base64url');
  const [mac, content] = [bytes.subarray(0, macBytes), bytes.subarray(macBytes)];
  if (mac.length < macBytes || !seals.some((seal) => timingSafeEqual(mac, seal(scope, content)))) {
    throw invalid('paging is no token of this collection: start with the query again');
  }
  return JSON.parse(content.toString()) as Content;
}

/** A GET has no body, and some clients send an empty object with every POST. */
function isAbsent(body: unknown): boolean {
  return body === undefined || body === null || (typeof body === 'object' && Object.keys(body).length === 0);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, macBytes).toString('base64url');
}

function invalid(message: string): Problem {
  return Problem.invalid(message, 'paging');
}
