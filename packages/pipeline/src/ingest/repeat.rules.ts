import { Problem } from '@callout/domain/problem/problem';
import { responseTo } from './response.rules.ts';
import type { IngestResult, IdempotencyKey, StoredResponse } from './request.rules.ts';

/** A key of one route of one credential. */
export type IdempotencyKeyName = Pick<IdempotencyKey, 'credentialId' | 'route' | 'key'>;

/** The stored data of one `Idempotency-Key`. */
interface KnownKey extends IdempotencyKeyName {
  requestHash: Buffer;
  /** Null: claimed by this transaction, and free until a request is accepted under it. */
  response: StoredResponse | null;
  /** Whether this transaction has claimed it, so that it must be stored or released. */
  isOurs: boolean;
}

export type IdempotencyKeys = Map<string, KnownKey>;

/** Identifies a key of a credential and a route. */
export function idempotencyKeyName({ credentialId, route, key }: IdempotencyKeyName): string {
  return `${credentialId} ${route} ${key}`;
}

/** A stored response, and the request that it belongs to. */
export interface RepeatableResponse {
  readonly requestHash: Buffer;
  readonly response: StoredResponse;
}

/**
 * The result of a request under a key that was used before: the stored response, or `conflict` when it is
 * another request.
 */
export function repeatOf(
  kept: RepeatableResponse,
  requestHash: Buffer,
): Extract<IngestResult, { kind: 'repeated' | 'refused' }> {
  if (kept.requestHash.equals(requestHash)) return { kind: 'repeated', response: kept.response };
  const problem = Problem.conflict(
    'This Idempotency-Key was used for another request: give a different request a key of its own',
    'Idempotency-Key',
  );
  return { kind: 'refused', index: null, problem };
}

/** Accepts a request under its key, if it has one, unless it was accepted before. */
export function acceptOnce(
  keys: IdempotencyKeys,
  idempotencyKey: IdempotencyKey | undefined,
  take: () => IngestResult,
): IngestResult {
  const known = idempotencyKey && keys.get(idempotencyKeyName(idempotencyKey));
  if (!known) return take();
  if (known.response) return repeatOf({ ...known, response: known.response }, idempotencyKey.requestHash);
  const result = take();
  if (result.kind === 'accepted') {
    // Another request of this commit may have claimed the key first, with other content, and been refused.
    known.requestHash = idempotencyKey.requestHash;
    const { status, body } = responseTo(idempotencyKey.response, result.items);
    known.response = { status, body: JSON.stringify(body) };
  }
  return result;
}
