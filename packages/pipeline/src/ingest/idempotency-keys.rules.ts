import { Problem } from '@callout/domain/problem';
import { responseTo, type IngestResult, type IdempotencyKey, type StoredResponse } from './request.rules.ts';

/** A key of one route of one credential. */
export type IdempotencyKeyName = Pick<IdempotencyKey, 'credentialId' | 'route' | 'key'>;

/** The stored data of one `Idempotency-Key`. */
interface StoredKey extends IdempotencyKeyName {
  requestHash: Buffer;
  /** Null: claimed by this transaction, and free until a request is accepted under it. */
  response: StoredResponse | null;
  /** Whether this transaction has claimed the key, and must store or release it. */
  isClaimed: boolean;
}

export type IdempotencyKeys = Map<string, StoredKey>;

/** Identifies a key of a credential and a route. */
export function idempotencyKeyName({ credentialId, route, key }: IdempotencyKeyName): string {
  return `${credentialId} ${route} ${key}`;
}

/** The key of a request; `requestHash` null: of any request. */
export interface RequestedKey extends IdempotencyKeyName {
  readonly requestHash: Buffer | null;
}

/** A stored response, and the hash of the request. */
export interface RepeatableResponse {
  readonly requestHash: Buffer;
  readonly response: StoredResponse;
}

/** The result of a request under a key that was used before: the stored response, or `conflict` for another request. */
export function repeatOf(
  stored: RepeatableResponse,
  requestHash: Buffer,
): Extract<IngestResult, { kind: 'repeated' | 'refused' }> {
  if (stored.requestHash.equals(requestHash)) return { kind: 'repeated', response: stored.response };
  const problem = Problem.conflict(
    'This Idempotency-Key was used for another request: give a different request a key of its own',
    'Idempotency-Key',
  );
  return { kind: 'refused', index: null, problem };
}

/** The result of a request that was accepted under the key before; undefined: the request was not. */
export function resultOfRepeat(keys: IdempotencyKeys, idempotencyKey: IdempotencyKey): IngestResult | undefined {
  const { response, requestHash } = keyOf(keys, idempotencyKey);
  return response === null ? undefined : repeatOf({ requestHash, response }, idempotencyKey.requestHash);
}

/** Accepts a request under the given key, unless the request was accepted before. */
export function acceptOnce(
  keys: IdempotencyKeys,
  idempotencyKey: IdempotencyKey,
  accept: () => IngestResult,
): IngestResult {
  const repeated = resultOfRepeat(keys, idempotencyKey);
  if (repeated) return repeated;
  const key = keyOf(keys, idempotencyKey);
  const result = accept();
  if (result.kind === 'accepted') {
    // Another request of this commit may have claimed the key first, with different content, and been refused.
    key.requestHash = idempotencyKey.requestHash;
    const { status, body } = responseTo(idempotencyKey.response, result.items);
    key.response = { status, body: JSON.stringify(body) };
  }
  return result;
}

function keyOf(keys: IdempotencyKeys, name: IdempotencyKeyName): StoredKey {
  const key = keys.get(idempotencyKeyName(name));
  if (!key) throw new Error('an Idempotency-Key was not claimed');
  return key;
}
