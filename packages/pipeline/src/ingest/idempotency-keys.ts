import type { Transaction, Client } from '@callout/database/connection/database';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';
import type { Sent } from '@callout/database/connection/transaction/transaction';
import {
  idempotencyKeyName,
  type IdempotencyKeys,
  type RepeatableResponse,
  type RequestedKey,
} from './idempotency-keys.rules.ts';
import type { IngestRequest } from './request.rules.ts';

interface StoredResponseRow {
  /** Counts from 1. */
  nth: number;
  request_hash: Buffer;
  status: number;
  body: string | null;
}

const claimKeys = statementFrom<{ credential_id: number; route: string; key: string }>(
  'ingest/ingest_claim_idempotency_keys',
);

const readResponses = statementFrom<StoredResponseRow>('ingest/ingest_read_idempotency_keys');

const storeResponses = statementFrom('ingest/ingest_store_responses');

const releaseKeys = statementFrom('ingest/ingest_drop_idempotency_keys');

const keyColumns = ['credentialId', 'route', 'key'] as const;

/**
 * Claims the keys of the requests that are free, and reads the responses under the used keys. Precedes everything else
 * that a commit locks.
 */
export async function claimIdempotencyKeys(
  transaction: Transaction,
  requests: readonly Pick<IngestRequest, 'idempotencyKey'>[],
): Promise<IdempotencyKeys> {
  const keys: IdempotencyKeys = new Map();
  for (const { idempotencyKey } of requests) {
    if (!idempotencyKey) continue;
    const { response: _form, ...key } = idempotencyKey;
    keys.set(idempotencyKeyName(key), { ...key, response: null, isClaimed: true });
  }
  const requested = [...keys.values()];
  const rows = await claimKeys(transaction, columns(requested, [...keyColumns, 'requestHash']));
  if (rows.length === requested.length) return keys;
  const claimed = new Set(rows.map((row) => idempotencyKeyName({ ...row, credentialId: row.credential_id })));
  const used = requested.filter((key) => !claimed.has(idempotencyKeyName(key)));
  // Requests of this commit that share a key may differ.
  const ofAnyRequest = used.map((key) => ({ ...key, requestHash: null }));
  for (const [key, stored] of await findResponses(transaction, ofAnyRequest)) {
    keys.set(idempotencyKeyName(key), { ...key, ...stored, isClaimed: false });
  }
  return keys;
}

/**
 * The stored responses under the given keys. A key may be given with several requests. Without the body where the key
 * belongs to a request with another hash: a short request must not make this process read a long response.
 */
export async function findResponses<Name extends RequestedKey>(
  client: Client,
  names: readonly Name[],
): Promise<Map<Name, RepeatableResponse>> {
  const responses = new Map<Name, RepeatableResponse>();
  const rows = await readResponses(client, columns(names, [...keyColumns, 'requestHash']));
  for (const { nth, request_hash: requestHash, status, body } of rows) {
    responses.set(names[nth - 1] as Name, { requestHash, response: { status, body: body ?? '' } });
  }
  return responses;
}

/** Stores the responses to accepted requests, and releases the keys of refused requests. */
export function settleIdempotencyKeys(transaction: Transaction, keys: IdempotencyKeys): Sent {
  const claimed = [...keys.values()].filter(({ isClaimed }) => isClaimed);
  const answered = claimed.flatMap(({ response, ...key }) => (response ? [{ ...key, ...response }] : []));
  const free = claimed.filter(({ response }) => response === null);
  const values = (): unknown[][] => columns(answered, [...keyColumns, 'requestHash', 'status', 'body']);
  return [
    ...(answered.length > 0 ? [storeResponses(transaction, values())] : []),
    ...(free.length > 0 ? [releaseKeys(transaction, columns(free, keyColumns))] : []),
  ];
}
