import { createHash } from 'node:crypto';
import { foldKeys, type OnUnknownKey } from '../input/fold-keys.ts';
import type { QueryableCollection } from './collection.ts';
import type { Query } from './condition.ts';
import { parseQuery } from './parse/parse-query.ts';
import { printQuery } from './parse/print-query.ts';
import { queryKeys } from './parse/query-schema.ts';
import { createSignedTokens, invalidToken, macBytes, maxTokenLength, type CursorScope } from './signed-token.ts';

/** The position of a page: the rows with ids above `id`, or the last ones below it. */
export interface Position {
  readonly direction: 'after' | 'before';
  readonly id: number;
}

/** The tokens of paging. */
export interface Cursors {
  /** A token under 4,096 characters with the query, or with the parts of the query that fit. */
  issue(scope: CursorScope, query: Query, position: Position): string;
  /**
   * Continues at a token. `body`: the query again, or parts; only parts that did not fit into the token are required,
   * and absent or null parts come from the token. `onUnknown` receives unknown keys.
   * @throws an `invalid` Problem when the token is invalid, was made for another tenant or collection, or by other
   * keys; when a part of the query is neither in the token nor in the body; when the body gives a different part; when
   * the query is no longer valid.
   */
  resume(
    scope: CursorScope,
    token: unknown,
    body: unknown,
    collection: QueryableCollection,
    onUnknown?: OnUnknownKey,
  ): ResumedQuery;
}

export interface ResumedQuery {
  readonly query: Query;
  readonly position: Position;
}

/** The content of a token: direction, id, hash of the query, and the query in its grammar, or the parts that fit. */
type Content = readonly ['a' | 'b', number, string, QueryParts | null];

/** A query in its grammar, or parts of a query. */
type QueryParts = Readonly<{ MaxRecords?: unknown; IncludeFields?: unknown; Filter?: unknown }>;

/**
 * Cursors whose tokens are bound to tenant and collection by HMAC-SHA256. Nothing in them is secret (the query is the
 * caller's own), but a token that was changed, or is used elsewhere, is refused. All API processes need the same
 * `keys`, each at least 32 random bytes; the keys may have further purposes, since the tokens' keys are derived. The
 * first one makes tokens, the others accept tokens from before a rotation.
 */
export function createCursors(keys: readonly Uint8Array[]): Cursors {
  const tokens = createSignedTokens(keys, 'callout paging token v1');
  return {
    issue(scope, query, { direction, id }) {
      const text = printQuery(query);
      const write = (carried: QueryParts): string => {
        const content: Content = [direction === 'after' ? 'a' : 'b', id, hashOf(text), carried];
        return tokens.sign(scope, content);
      };
      const printed = JSON.parse(text) as QueryParts;
      const { MaxRecords, IncludeFields } = printed;
      for (const carried of [printed, { MaxRecords, IncludeFields }]) {
        const token = write(carried);
        if (token.length <= maxTokenLength) return token;
      }
      return write({ MaxRecords });
    },

    resume(scope, token, body, collection, onUnknown) {
      const [direction, id, hash, carried] = tokens.verify(scope, token) as Content;
      const queryBody = { ...carried, ...givenParts(body, onUnknown) };
      if (!('Filter' in queryBody)) {
        throw invalidToken('This query does not fit into its paging token: POST the same body to this address');
      }
      const query = parseQuery(queryBody, collection, onUnknown);
      if (hashOf(printQuery(query)) !== hash) {
        throw invalidToken(
          'The body is not the query that the paging token was made for: send the same body, or leave it out',
        );
      }
      return { query, position: { direction: direction === 'a' ? 'after' : 'before', id } };
    },
  };
}

/** The parts of the query that a body contains; null counts as absent, as in a query. A GET has no body. */
function givenParts(body: unknown, onUnknown: OnUnknownKey | undefined): QueryParts {
  if (body === undefined || body === null) return {};
  const folded = foldKeys(body, queryKeys, onUnknown);
  return Object.fromEntries(Object.entries(folded).filter(([, part]) => part !== null));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, macBytes).toString('base64url');
}
