import { type KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import type { Pool } from 'pg';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { statementFrom } from '@callout/database/connection/statement/statement';
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
const lock = statementFrom<SigningKeyRow>('tenancy:operator/signing_keys_lock_for_encryption');

const write = statementFrom('tenancy:operator/signing_keys_write_encrypted');

/**
 * Encrypts the private keys of all tenants with the present key, where another key protects them. Safe while processes
 * run, and safe to interrupt and repeat. A key that cannot be decrypted stays unchanged and is reported.
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
