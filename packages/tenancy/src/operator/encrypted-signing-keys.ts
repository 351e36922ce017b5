import { type KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import type { Pool } from 'pg';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { statement } from '@callout/database/connection/statement/statement';
import {
  createReencryption,
  secretColumns,
  storedSecret,
  type EncryptedBytes,
  type UnreadableSecret,
} from './reencryption.ts';

interface SigningKeyRow extends EncryptedBytes {
  tenantId: number;
  id: string;
  previousKeyId: string | null;
  previousNonce: Buffer | null;
  previousCiphertext: Buffer | null;
}

/** Tenants whose keys are locked at a time, for milliseconds. */
const tenantsAtOnce = 100;

// A key whose overlap is over signs nothing any more: it is deleted here, with any key.
const lock = statement<SigningKeyRow>(
  'signing_keys_lock_for_encryption',
  `SELECT tenant_id AS "tenantId", id, key_id AS "keyId", nonce, ciphertext,
     CASE WHEN previous_until > now() THEN previous_key_id END AS "previousKeyId",
     previous_nonce AS "previousNonce", previous_ciphertext AS "previousCiphertext"
   FROM signing_keys WHERE tenant_id > $1 AND (key_id <> $2 OR previous_key_id <> $2)
   ORDER BY tenant_id LIMIT $3 FOR NO KEY UPDATE`,
  'signing_keys',
);

const write = statement(
  'signing_keys_write_encrypted',
  `UPDATE signing_keys k SET key_id = s.key_id, nonce = s.nonce, ciphertext = s.ciphertext,
     previous_key_id = s.previous_key_id, previous_nonce = s.previous_nonce,
     previous_ciphertext = s.previous_ciphertext,
     previous_public_key = CASE WHEN s.previous_key_id IS NOT NULL THEN k.previous_public_key END,
     previous_created_at = CASE WHEN s.previous_key_id IS NOT NULL THEN k.previous_created_at END,
     previous_until = CASE WHEN s.previous_key_id IS NOT NULL THEN k.previous_until END
   FROM unnest($1::int[], $2::text[], $3::bytea[], $4::bytea[], $5::text[], $6::bytea[], $7::bytea[])
     AS s (tenant_id, key_id, nonce, ciphertext, previous_key_id, previous_nonce, previous_ciphertext)
   WHERE k.tenant_id = s.tenant_id`,
);

/**
 * Encrypts the private keys of all tenants with the present key, where another key protects them. Safe while processes
 * run, and safe to interrupt and repeat. One that cannot be decrypted stays as it is and is reported.
 */
export async function reencryptSigningKeys(
  pool: Pool,
  keyRing: KeyRing,
): Promise<{ readonly reencrypted: number; readonly unreadable: readonly UnreadableSecret[] }> {
  const reencryption = createReencryption(keyRing);
  for (let after: number | undefined = 0; after !== undefined;) {
    const from: number = after;
    after = await inTransaction(pool, async (transaction) => {
      const rows = await lock(transaction, [from, keyRing.currentKeyId, tenantsAtOnce]);
      const written = rows.map((row) => {
        const { tenantId, id } = row;
        const fresh = (encrypted: EncryptedBytes) =>
          reencryption.reencrypt(encrypted, secretAad(tenantId, id), { tenantId, webhookGuid: null });
        const previous = storedSecret(row.previousKeyId, row.previousNonce, row.previousCiphertext);
        return { tenantId, current: fresh(row), previous: previous && fresh(previous) };
      });
      await write(transaction, [
        written.map(({ tenantId }) => tenantId),
        ...secretColumns(written.map(({ current }) => current)),
        ...secretColumns(written.map(({ previous }) => previous)),
      ]);
      return rows.length < tenantsAtOnce ? undefined : rows.at(-1)?.tenantId;
    });
  }
  return reencryption.result();
}
