import { type KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import type { Pool } from 'pg';
import type { Client } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { reencryptSigningKeys } from './encrypted-signing-keys.ts';
import {
  createReencryption,
  secretColumns,
  storedSecret,
  type EncryptedBytes,
  type UnreadableSecret,
} from './reencryption.ts';

export type { UnreadableSecret } from './reencryption.ts';

/**
 * The number of secrets that a key protects: secrets of webhooks and private keys of tenants. Secrets of deleted
 * webhooks count until the last call has ended, as do secrets that a rotation still keeps.
 */
export interface KeyUse {
  readonly keyId: string;
  readonly secrets: number;
}

export interface ReencryptedBatch {
  readonly reencrypted: number;
  readonly unreadable: readonly UnreadableSecret[];
  /** Where the next batch begins; undefined after the last one. */
  readonly next: number | undefined;
}

interface EncryptedRow extends EncryptedBytes {
  key: number;
  tenantId: number;
  webhookGuid: string;
  previousKeyId: string | null;
  previousNonce: Buffer | null;
  previousCiphertext: Buffer | null;
  receiverKeyId: string | null;
  receiverNonce: Buffer | null;
  receiverCiphertext: Buffer | null;
}

const count = statementFrom<KeyUse>('tenancy:operator/secrets_count_by_key');

/** The use of each key. A key that is not among them may be removed from the ring. */
export async function countSecretsByKey(client: Client): Promise<KeyUse[]> {
  return count(client, []);
}

/** What a key is for: a missing one is in use, and not in the ring. */
export interface KeyState extends KeyUse {
  readonly state: 'encrypts' | 'decrypts' | 'notNeeded' | 'missing';
}

/** The keys of a ring, in its order, and behind them the missing ones. */
export async function readKeyStates(client: Client, { keyIds, currentKeyId }: KeyRing): Promise<KeyState[]> {
  const counts = new Map((await countSecretsByKey(client)).map(({ keyId, secrets }) => [keyId, secrets]));
  return [...new Set([...keyIds, ...counts.keys()])].map((keyId) => {
    const secrets = counts.get(keyId) ?? 0;
    if (keyId === currentKeyId) return { keyId, secrets, state: 'encrypts' };
    if (!keyIds.includes(keyId)) return { keyId, secrets, state: 'missing' };
    return { keyId, secrets, state: secrets === 0 ? 'notNeeded' : 'decrypts' };
  });
}

// Webhooks are locked in order of the key, as everywhere, and only until a handful of secrets are encrypted again. A
// secret whose overlap is over signs nothing any more: it is deleted here, with any key.
const lock = statementFrom<EncryptedRow>('tenancy:operator/secrets_lock');

// The secrets stay the same, so neither the version of the configuration nor the time of the last change moves: workers
// keep their keys, and verdicts still name the version behind them.
const write = statementFrom('tenancy:operator/secrets_write');

/**
 * Encrypts the secrets of at most `limit` webhooks above the internal key `after` with the present key, where another
 * key protects them; the last batch also has the private keys of all tenants. Every process must have the key in its
 * ring already. Safe while all processes run, and safe to interrupt and repeat. A secret that cannot be decrypted stays
 * unchanged and is reported.
 */
export async function reencryptSecrets(
  pool: Pool,
  keyRing: KeyRing,
  part: { readonly after: number; readonly limit: number },
): Promise<ReencryptedBatch> {
  const batch = await reencryptWebhooks(pool, keyRing, part);
  if (batch.next !== undefined) return batch;
  const { reencrypted, unreadable } = await reencryptSigningKeys(pool, keyRing);
  return {
    reencrypted: batch.reencrypted + reencrypted,
    unreadable: [...batch.unreadable, ...unreadable],
    next: undefined,
  };
}

function reencryptWebhooks(
  pool: Pool,
  keyRing: KeyRing,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<ReencryptedBatch> {
  return inTransaction(pool, async (transaction) => {
    const rows = await lock(transaction, [after, keyRing.currentKeyId, limit]);
    const reencryption = createReencryption(keyRing);
    const written = rows.map((row) => {
      const { key, tenantId, webhookGuid } = row;
      const fresh = (encrypted: EncryptedBytes) =>
        reencryption.reencrypt(encrypted, secretAad(tenantId, webhookGuid), { tenantId, webhookGuid });
      const previous = storedSecret(row.previousKeyId, row.previousNonce, row.previousCiphertext);
      const receiver = storedSecret(row.receiverKeyId, row.receiverNonce, row.receiverCiphertext);
      return { key, current: fresh(row), previous: previous && fresh(previous), receiver: receiver && fresh(receiver) };
    });
    await write(transaction, [
      written.map(({ key }) => key),
      ...secretColumns(written.map(({ current }) => current)),
      ...secretColumns(written.map(({ previous }) => previous)),
      ...secretColumns(written.map(({ receiver }) => receiver)),
    ]);
    return { ...reencryption.result(), next: rows.length < limit ? undefined : rows.at(-1)?.key };
  });
}
