import { randomBytes } from 'node:crypto';
import { secretAad, type KeyRing } from '@callout/core';
import type { Pool } from 'pg';
import { inTransaction, type Client } from '../database.ts';
import { statement } from '../statement.ts';

/** How many webhook secrets one key protects; those of deleted webhooks, which may still be needed, are among them. */
export interface KeyUse {
  readonly keyId: string;
  readonly secrets: number;
}

/** A webhook whose secret does not open with any key of the ring. */
export interface UnreadableSecret {
  readonly tenantId: number;
  readonly webhookGuid: string;
  readonly keyId: string;
}

export interface ResealedBatch {
  readonly resealed: number;
  readonly unreadable: readonly UnreadableSecret[];
  /** Where the next batch begins; undefined after the last one. */
  readonly next: number | undefined;
}

interface SealedRow {
  key: number;
  tenantId: number;
  webhookGuid: string;
  keyId: string;
  nonce: Buffer;
  ciphertext: Buffer;
}

const NONCE_BYTES = 12;

const count = statement<KeyUse>(
  'secrets_count_by_key',
  `SELECT secret_key_id AS "keyId", count(*) AS secrets FROM webhooks GROUP BY secret_key_id ORDER BY secret_key_id`,
);

/** What each key is still needed for. A key that is not among them may leave the ring. */
export async function countSecretsByKey(client: Client): Promise<KeyUse[]> {
  return count(client, []);
}

// Webhooks are locked in order of the key, as everybody locks them, and only until a handful of secrets are sealed anew.
const lock = statement<SealedRow>(
  'secrets_lock',
  `SELECT key, tenant_id AS "tenantId", guid AS "webhookGuid", secret_key_id AS "keyId", secret_nonce AS nonce,
     secret_ciphertext AS ciphertext
   FROM webhooks WHERE key > $1 AND secret_key_id <> $2 ORDER BY key LIMIT $3 FOR NO KEY UPDATE`,
);

// The secret stays the same, so neither the version of the configuration nor the time of its last change moves: workers
// keep the key that they hold, and verdicts still name the version that they were made by.
const write = statement(
  'secrets_write',
  `UPDATE webhooks w SET secret_key_id = $2, secret_nonce = s.nonce, secret_ciphertext = s.ciphertext
   FROM unnest($1::bigint[], $3::bytea[], $4::bytea[]) AS s (key, nonce, ciphertext) WHERE w.key = s.key`,
);

/**
 * Encrypts the secrets of at most `limit` webhooks above the internal key `after` with the key that encrypts now, where
 * another key protects them. Every process must have that key in its ring already. Safe while all of them run, and safe
 * to break off and repeat. What does not open stays as it is and is reported.
 */
export async function resealSecrets(
  pool: Pool,
  keyRing: KeyRing,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<ResealedBatch> {
  return inTransaction(pool, async (transaction) => {
    const rows = await lock(transaction, [after, keyRing.currentKeyId, limit]);
    const unreadable: UnreadableSecret[] = [];
    const resealed = rows.flatMap((row) => {
      const sealed = resealOne(keyRing, row);
      if (sealed !== undefined) return [{ key: row.key, ...sealed }];
      unreadable.push({ tenantId: row.tenantId, webhookGuid: row.webhookGuid, keyId: row.keyId });
      return [];
    });
    await write(transaction, [
      resealed.map(({ key }) => key),
      keyRing.currentKeyId,
      resealed.map(({ nonce }) => nonce),
      resealed.map(({ ciphertext }) => ciphertext),
    ]);
    return { resealed: resealed.length, unreadable, next: rows.length < limit ? undefined : rows.at(-1)?.key };
  });
}

/** Undefined when the ring lacks the key, or the row was damaged: one webhook must not keep the others from moving on. */
function resealOne(keyRing: KeyRing, row: SealedRow): { nonce: Buffer; ciphertext: Buffer } | undefined {
  const aad = secretAad(row.tenantId, row.webhookGuid);
  const opened = tryToOpen(keyRing, row, aad);
  if (opened === undefined) return undefined;
  const { nonce, ciphertext } = keyRing.seal(opened, aad, randomBytes(NONCE_BYTES));
  return { nonce: Buffer.from(nonce), ciphertext: Buffer.from(ciphertext) };
}

function tryToOpen(keyRing: KeyRing, row: SealedRow, aad: string): string | undefined {
  try {
    return keyRing.open(row, aad);
  } catch {
    return undefined;
  }
}
