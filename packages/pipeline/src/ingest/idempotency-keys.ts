import type { IngestRequest } from './request.rules.ts';
import type { Client, Transaction } from '@callout/database/connection/database';
import type { Sent } from '@callout/database/connection/transaction/transaction';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';
import {
  idempotencyKeyName,
  type IdempotencyKeyName,
  type IdempotencyKeys,
  type RepeatableResponse,
} from './repeat.rules.ts';

interface KeyRow {
  credential_id: number;
  route: string;
  key: string;
  request_hash: Buffer;
  status: number;
  body: string;
}

const claimKeys = statementFrom<Pick<KeyRow, 'credential_id' | 'route' | 'key'>>(
  'ingest/ingest_claim_idempotency_keys',
);

const readKeys = statementFrom<KeyRow>('ingest/ingest_read_idempotency_keys');

const storeResponses = statementFrom('ingest/ingest_store_responses');

const dropKeys = statementFrom('ingest/ingest_drop_idempotency_keys');

const keyColumns = ['credentialId', 'route', 'key'] as const;

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
