import { type KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import type { Pool } from 'pg';
import { statement } from '@callout/database/connection/statement/statement';

interface EncryptedRow {
  guid: string;
  keyId: string;
  nonce: Buffer;
  ciphertext: Buffer;
}

const read = statement<EncryptedRow>(
  'tenants_read_secrets',
  `SELECT guid, secret_key_id AS "keyId", secret_nonce AS nonce, secret_ciphertext AS ciphertext FROM webhooks
   WHERE tenant_id = $1 AND secret_key_id <> '' ORDER BY key`,
);

/**
 * Decrypts the secrets of a tenant's webhooks.
 * @returns the decrypted ones by the GUID of their webhook, and the GUIDs of the others, whose key is not in the ring.
 */
export async function openSecrets(
  pool: Pool,
  keyRing: KeyRing,
  tenantId: number,
): Promise<{ readonly secrets: Map<string, string>; readonly unreadable: string[] }> {
  const secrets = new Map<string, string>();
  const unreadable: string[] = [];
  for (const { guid, ...sealed } of await read(pool, [tenantId])) {
    try {
      secrets.set(guid, keyRing.decrypt(sealed, secretAad(tenantId, guid)));
    } catch {
      unreadable.push(guid);
    }
  }
  return { secrets, unreadable };
}
