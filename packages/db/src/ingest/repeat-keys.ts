import { Problem } from '@callout/core/errors';
import {
  answerTo,
  type IntakeRequest,
  type IntakeResult,
  type RepeatKey,
  type StoredAnswer,
} from '@callout/core/ingest';
import type { Client, Sent, Transaction } from '../connection/database.ts';
import { columns, statementFrom } from '../connection/statement/statement.ts';

/** A key of one route of one credential. */
export type RepeatKeyName = Pick<RepeatKey, 'credentialId' | 'route' | 'key'>;

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

const storeAnswers = statementFrom('ingest/intake_store_answers');

const dropKeys = statementFrom('ingest/intake_drop_repeat_keys');

const keyColumns = ['credentialId', 'route', 'key'] as const;

/** What is known of one `Idempotency-Key`. */
interface KnownKey extends RepeatKeyName {
  requestHash: Buffer;
  /** Null: claimed by this transaction, and free until a request is taken under it. */
  answer: StoredAnswer | null;
  /** Whether this transaction has claimed it, so that it is to be stored or given back. */
  isOurs: boolean;
}

export type RepeatKeys = Map<string, KnownKey>;

/** Names a key of a credential and a route. */
export function repeatKeyOf({ credentialId, route, key }: RepeatKeyName): string {
  return `${credentialId} ${route} ${key}`;
}

/**
 * Claims the keys of the requests that are free, and reads the answers under those that are not. Comes before everything
 * else that a commit locks.
 */
export async function claimRepeatKeys(
  transaction: Transaction,
  requests: readonly IntakeRequest[],
): Promise<RepeatKeys> {
  const keys: RepeatKeys = new Map();
  for (const { repeatKey } of requests) {
    if (!repeatKey) continue;
    const { credentialId, route, key, requestHash } = repeatKey;
    keys.set(repeatKeyOf(repeatKey), { credentialId, route, key, requestHash, answer: null, isOurs: true });
  }
  if (keys.size === 0) return keys;
  const wanted = [...keys.values()];
  const claimed = await claimKeys(transaction, columns(wanted, [...keyColumns, 'requestHash']));
  if (claimed.length === wanted.length) return keys;
  const ours = new Set(claimed.map((row) => repeatKeyOf({ ...row, credentialId: row.credential_id })));
  const known = wanted.filter((key) => !ours.has(repeatKeyOf(key)));
  for (const [key, kept] of await findAnswers(transaction, known)) {
    keys.set(repeatKeyOf(key), { ...key, ...kept, isOurs: false });
  }
  return keys;
}

/** An answer that is kept, and the request that it was given to. */
export interface KeptAnswer {
  readonly requestHash: Buffer;
  readonly answer: StoredAnswer;
}

/** The answers that are kept under the given keys. */
export async function findAnswers<Name extends RepeatKeyName>(
  client: Client,
  names: readonly Name[],
): Promise<Map<Name, KeptAnswer>> {
  const found = new Map<Name, KeptAnswer>();
  const byText = new Map(names.map((name) => [repeatKeyOf(name), name]));
  for (const { credential_id, route, key, ...kept } of await readKeys(client, columns(names, keyColumns))) {
    const name = byText.get(repeatKeyOf({ credentialId: credential_id, route, key }));
    const answer = { status: kept.status, body: kept.body };
    if (name) found.set(name, { requestHash: kept.request_hash, answer });
  }
  return found;
}

/**
 * What a request under a key that was used before gets: the answer of that time, or `conflict` when it asks for
 * something else.
 */
export function repeatOf(
  kept: KeptAnswer,
  requestHash: Buffer,
): Extract<IntakeResult, { kind: 'repeated' | 'refused' }> {
  if (kept.requestHash.equals(requestHash)) return { kind: 'repeated', answer: kept.answer };
  const problem = Problem.conflict(
    'This Idempotency-Key was used for another request: give a different request a key of its own',
    'Idempotency-Key',
  );
  return { kind: 'refused', index: null, problem };
}

/** Takes a request under its key, where it has one, unless it was taken before. */
export function takeOnce(keys: RepeatKeys, repeatKey: RepeatKey | undefined, take: () => IntakeResult): IntakeResult {
  const known = repeatKey && keys.get(repeatKeyOf(repeatKey));
  if (!known) return take();
  if (known.answer) return repeatOf({ ...known, answer: known.answer }, repeatKey.requestHash);
  const result = take();
  if (result.kind === 'accepted') {
    // Another request of this commit may have named the key first, with other content, and been refused.
    known.requestHash = repeatKey.requestHash;
    const { status, body } = answerTo(repeatKey.answer, result.items);
    known.answer = { status, body: JSON.stringify(body) };
  }
  return result;
}

/** Stores the answers of the requests that were taken, and gives back the keys of those that were refused. */
export function settleRepeatKeys(transaction: Transaction, keys: RepeatKeys): Sent {
  const ours = [...keys.values()].filter(({ isOurs }) => isOurs);
  const taken = ours.flatMap(({ answer, ...key }) => (answer ? [{ ...key, ...answer }] : []));
  const free = ours.filter(({ answer }) => answer === null);
  const answers = (): unknown[][] => columns(taken, [...keyColumns, 'requestHash', 'status', 'body']);
  return [
    ...(taken.length > 0 ? [storeAnswers(transaction, answers())] : []),
    ...(free.length > 0 ? [dropKeys(transaction, columns(free, keyColumns))] : []),
  ];
}
