import { createHash } from 'node:crypto';
import type { QueryableCollection } from './collection.ts';
import type { Query } from './condition.ts';
import { parseQuery } from './parse-query.ts';
import { printQuery } from './print-query.ts';
import { createSealedTokens, invalidToken, macBytes, maxTokenLength, type CursorScope } from './sealed-token.ts';

/** Where a page begins: the rows with ids above `id`, or the last ones below it. */
export interface Position {
  readonly direction: 'after' | 'before';
  readonly id: number;
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

/** What a token holds: direction, id, hash of the query, and the query in its own grammar, or null. */
type Content = readonly ['a' | 'b', number, string, unknown];

/**
 * Cursors whose tokens are bound to tenant and collection by HMAC-SHA256. Nothing in them is secret (the query is the
 * caller's own), but a token that was changed, or is used elsewhere, is refused. All API processes need the same `keys`,
 * each at least 32 random bytes; they may serve other ends too, since the tokens' keys are derived from them. The first
 * one makes tokens, the others are still good for those of before a rotation.
 */
export function createCursors(keys: readonly Uint8Array[]): Cursors {
  const tokens = createSealedTokens(keys, 'callout paging token v1');
  return {
    issue(scope, query, { direction, id }) {
      const text = printQuery(query);
      const write = (carried: unknown): string => {
        const content: Content = [direction === 'after' ? 'a' : 'b', id, hashOf(text), carried];
        return tokens.seal(scope, content);
      };
      const token = write(JSON.parse(text));
      return token.length <= maxTokenLength ? token : write(null);
    },

    resume(scope, token, body, collection) {
      const [direction, id, hash, carried] = tokens.open(scope, token) as Content;
      const given = isAbsent(body) ? carried : body;
      if (given === null) {
        throw invalidToken('This query does not fit into its paging token: POST the same body to this address');
      }
      const query = parseQuery(given, collection);
      if (hashOf(printQuery(query)) !== hash) {
        throw invalidToken('The body is not the query that the paging token was made for: send the same body');
      }
      return { query, position: { direction: direction === 'a' ? 'after' : 'before', id } };
    },
  };
}

/** A GET has no body, and some clients send an empty object with every POST. */
function isAbsent(body: unknown): boolean {
  return body === undefined || body === null || (typeof body === 'object' && Object.keys(body).length === 0);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, macBytes).toString('base64url');
}
