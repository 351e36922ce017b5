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

/** The members of an exported webhook, or of the tenant's key pair, that are secret, in clear. */
export type OpenedSecrets =
  | ({ readonly secretKey: string } & Partial<ReceiverSecrets>)
  | { readonly privateKey: string; readonly previousPrivateKey: string | null };

const read = statement<EncryptedRow>(
  'tenants_read_secrets',
  `SELECT guid, secret_key_id AS "keyId", secret_nonce AS nonce, secret_ciphertext AS ciphertext,
     receiver_key_id AS "receiverKeyId", receiver_nonce AS "receiverNonce", receiver_ciphertext AS "receiverCiphertext"
   FROM webhooks WHERE tenant_id = $1 AND secret_key_id <> '' ORDER BY key`,
);

interface SigningKeyRow {
  id: string;
  keyId: string;
  nonce: Buffer;
  ciphertext: Buffer;
  previousKeyId: string | null;
  previousNonce: Buffer;
  previousCiphertext: Buffer;
}

const readSigningKey = statement<SigningKeyRow>(
  'tenants_read_signing_key',
  `SELECT id, key_id AS "keyId", nonce, ciphertext, previous_key_id AS "previousKeyId",
     previous_nonce AS "previousNonce", previous_ciphertext AS "previousCiphertext"
   FROM signing_keys WHERE tenant_id = $1`,
);

/**
 * Decrypts the secrets of a tenant's webhooks, and its private keys.
 * @returns the decrypted ones by the GUID of their webhook or the id of the key pair, and the GUIDs and ids of the
 * others, whose key is not in the ring.
 */
export async function openSecrets(
  pool: Pool,
  keyRing: KeyRing,
  tenantId: number,
): Promise<{ readonly secrets: Map<string, OpenedSecrets>; readonly unreadable: string[] }> {
  const secrets = new Map<string, OpenedSecrets>();
  const unreadable: string[] = [];
  for (const { guid, receiverKeyId, receiverNonce, receiverCiphertext, ...encrypted } of await read(pool, [tenantId])) {
    const aad = secretAad(tenantId, guid);
    try {
      const secretKey = keyRing.decrypt(encrypted, aad);
      if (receiverKeyId === null) {
        secrets.set(guid, { secretKey });
        continue;
      }
      const receiver = { keyId: receiverKeyId, nonce: receiverNonce, ciphertext: receiverCiphertext };
      const { authId: _authId, ...others } = JSON.parse(keyRing.decrypt(receiver, aad)) as StoredSecrets;
      secrets.set(guid, { secretKey, ...others });
    } catch {
      unreadable.push(guid);
    }
  }
  for (const { id, previousKeyId, previousNonce, previousCiphertext, ...encrypted } of await readSigningKey(pool, [
    tenantId,
  ])) {
    const aad = secretAad(tenantId, id);
    const previous = { keyId: previousKeyId ?? '', nonce: previousNonce, ciphertext: previousCiphertext };
    try {
      secrets.set(id, {
        privateKey: keyRing.decrypt(encrypted, aad),
        previousPrivateKey: previousKeyId === null ? null : keyRing.decrypt(previous, aad),
      });
    } catch {
      unreadable.push(id);
    }
  }
  return { secrets, unreadable };
}
