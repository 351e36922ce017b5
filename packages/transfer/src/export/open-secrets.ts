import { type KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import type { ReceiverSecrets, StoredSecrets } from '@callout/domain/receiver/receiver-settings';
import type { Pool } from 'pg';
import { statementFrom } from '@callout/database/connection/statement/statement';

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

const read = statementFrom<EncryptedRow>('transfer:export/tenants_read_secrets');

interface SigningKeyRow {
  id: string;
  keyId: string;
  nonce: Buffer;
  ciphertext: Buffer;
  previousKeyId: string | null;
  previousNonce: Buffer;
  previousCiphertext: Buffer;
}

const readSigningKey = statementFrom<SigningKeyRow>('transfer:export/tenants_read_signing_key');

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
      const { authId: _authId, ...receiverSecrets } = JSON.parse(keyRing.decrypt(receiver, aad)) as StoredSecrets;
      secrets.set(guid, { secretKey, ...receiverSecrets });
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
