import { type KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import type { ReceiverSecrets, StoredSecrets } from '@callout/domain/receiver/receiver-settings';
import type { Pool } from 'pg';
import { statement } from '@callout/database/connection/statement/statement';

interface EncryptedRow {
  guid: string;
  keyId: string;
  nonce: Buffer;
  ciphertext: Buffer;
  receiverKeyId: string | null;
  receiverNonce: Buffer;
  receiverCiphertext: Buffer;
}

/** The members of an exported webhook that are secret, in clear. */
export type OpenedSecrets = { readonly secretKey: string } & Partial<ReceiverSecrets>;

const read = statement<EncryptedRow>(
  'tenants_read_secrets',
  `SELECT guid, secret_key_id AS "keyId", secret_nonce AS nonce, secret_ciphertext AS ciphertext,
     receiver_key_id AS "receiverKeyId", receiver_nonce AS "receiverNonce", receiver_ciphertext AS "receiverCiphertext"
   FROM webhooks WHERE tenant_id = $1 AND secret_key_id <> '' ORDER BY key`,
);

/**
 * Decrypts the secrets of a tenant's webhooks.
 * @returns the decrypted ones by the GUID of their webhook, and the GUIDs of the others, whose key is not in the ring.
 */
export async function openSecrets(
  pool: Pool,
  keyRing: KeyRing,
  tenantId: number,
): Promise<{ readonly secrets: Map<string, OpenedSecrets>; readonly unreadable: string[] }> {
  const secrets = new Map<string, OpenedSecrets>();
  const unreadable: string[] = [];
  for (const { guid, receiverKeyId, receiverNonce, receiverCiphertext, ...sealed } of await read(pool, [tenantId])) {
    const aad = secretAad(tenantId, guid);
    try {
      const secretKey = keyRing.decrypt(sealed, aad);
      if (receiverKeyId === null) {
        secrets.set(guid, { secretKey });
        continue;
      }
      const receiver = { keyId: receiverKeyId, nonce: receiverNonce, ciphertext: receiverCiphertext };
      const { requestHeaders, receiverAuth } = JSON.parse(keyRing.decrypt(receiver, aad)) as StoredSecrets;
      secrets.set(guid, { secretKey, requestHeaders, receiverAuth });
    } catch {
      unreadable.push(guid);
    }
  }
  return { secrets, unreadable };
}
