import { Problem } from '@callout/domain/problem/problem';
import { responseTo } from './response.rules.ts';
import type { IngestRequest, IngestResult, IdempotencyKey, StoredResponse } from './request.rules.ts';
import type { Client, Sent, Transaction } from '@callout/database/connection/database';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';

/** A key of one route of one credential. */
export type IdempotencyKeyName = Pick<IdempotencyKey, 'credentialId' | 'route' | 'key'>;

interface KeyRow {
  credential_id: number;
  route: string;
  key: string;
  request_hash: Buffer;
  status: number;
  body: string;
}

const claimKeys = statementFrom<Pick<KeyRow, 'credential_id' | 'route' | 'key'>>('ingest/intake_claim_repeat_keys');

const readKeys = statementFrom<KeyRow>('ingest/intake_read_repeat_keys');

const storeResponses = statementFrom('ingest/intake_store_answers');

const dropKeys = statementFrom('ingest/intake_drop_repeat_keys');

const keyColumns = ['credentialId', 'route', 'key'] as const;

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

/**
 * Claims the keys of the requests that are free, and reads the responses under the others. Comes before everything
 * else that a commit locks.
 */
export async function claimIdempotencyKeys(
  transaction: Transaction,
  requests: readonly IngestRequest[],
): Promise<IdempotencyKeys> {
  const keys: IdempotencyKeys = new Map();
  for (const { idempotencyKey } of requests) {
    if (!idempotencyKey) continue;
    const { credentialId, route, key, requestHash } = idempotencyKey;
    keys.set(idempotencyKeyName(idempotencyKey), {
      credentialId,
      route,
      key,
      requestHash,
      response: null,
      isOurs: true,
    });
  }
  if (keys.size === 0) return keys;
  const requested = [...keys.values()];
  const claimed = await claimKeys(transaction, columns(requested, [...keyColumns, 'requestHash']));
  if (claimed.length === requested.length) return keys;
  const ours = new Set(claimed.map((row) => idempotencyKeyName({ ...row, credentialId: row.credential_id })));
  const known = requested.filter((key) => !ours.has(idempotencyKeyName(key)));
  for (const [key, kept] of await findResponses(transaction, known)) {
    keys.set(idempotencyKeyName(key), { ...key, ...kept, isOurs: false });
  }
  return keys;
}

/** A stored response, and the request that it belongs to. */
export interface RepeatableResponse {
  readonly requestHash: Buffer;
  readonly response: StoredResponse;
}

/** The stored responses under the given keys. */
export async function findResponses<Name extends IdempotencyKeyName>(
  client: Client,
  names: readonly Name[],
): Promise<Map<Name, RepeatableResponse>> {
  const found = new Map<Name, RepeatableResponse>();
  const byText = new Map(names.map((name) => [idempotencyKeyName(name), name]));
  for (const { credential_id, route, key, ...kept } of await readKeys(client, columns(names, keyColumns))) {
    const name = byText.get(idempotencyKeyName({ credentialId: credential_id, route, key }));
    const response = { status: kept.status, body: kept.body };
    if (name) found.set(name, { requestHash: kept.request_hash, response });
  }
  return found;
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

/** Stores the responses to accepted requests, and releases the keys of refused ones. */
export function settleIdempotencyKeys(transaction: Transaction, keys: IdempotencyKeys): Sent {
  const ours = [...keys.values()].filter(({ isOurs }) => isOurs);
  const taken = ours.flatMap(({ response, ...key }) => (response ? [{ ...key, ...response }] : []));
  const free = ours.filter(({ response }) => response === null);
  const answers = (): unknown[][] => columns(taken, [...keyColumns, 'requestHash', 'status', 'body']);
  return [
    ...(taken.length > 0 ? [storeResponses(transaction, answers())] : []),
    ...(free.length > 0 ? [dropKeys(transaction, columns(free, keyColumns))] : []),
  ];
}
