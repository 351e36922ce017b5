import { randomBytes } from 'node:crypto';
import type { KeyRing } from '@callout/domain/secrets/keyring';

/** An encrypted secret in PostgreSQL. */
export interface EncryptedBytes {
  keyId: string;
  nonce: Buffer;
  ciphertext: Buffer;
}

/** A secret that no key of the ring can decrypt. */
export interface UnreadableSecret {
  readonly tenantId: number;
  /** Null: it is the private key of the tenant, and not the secret of a webhook. */
  readonly webhookGuid: string | null;
  readonly keyId: string;
}

const NONCE_BYTES = 12;

/** Encrypts secrets of many rows with the present key of a ring, and counts them. */
export function createReencryption(keyRing: KeyRing) {
  const unreadable: UnreadableSecret[] = [];
  let reencrypted = 0;
  return {
    /**
     * The same secret under the present key. Unchanged, and reported, when the ring lacks the key or the row is
     * damaged: one secret must not stop the re-encryption of others.
     */
    reencrypt(encrypted: EncryptedBytes, aad: string, owner: Omit<UnreadableSecret, 'keyId'>): EncryptedBytes {
      if (encrypted.keyId === keyRing.currentKeyId) return encrypted;
      const opened = tryToOpen(keyRing, encrypted, aad);
      if (opened === undefined) {
        unreadable.push({ ...owner, keyId: encrypted.keyId });
        return encrypted;
      }
      reencrypted += 1;
      const { keyId, nonce, ciphertext } = keyRing.encrypt(opened, aad, randomBytes(NONCE_BYTES));
      return { keyId, nonce: Buffer.from(nonce), ciphertext: Buffer.from(ciphertext) };
    },
    result: () => ({ reencrypted, unreadable }),
  };
}

/** A secret from its columns, which a row may lack. */
export function storedSecret(
  keyId: string | null,
  nonce: Buffer | null,
  ciphertext: Buffer | null,
): EncryptedBytes | undefined {
  return keyId === null || nonce === null || ciphertext === null ? undefined : { keyId, nonce, ciphertext };
}

/** The columns of secrets, for a statement that writes many rows. */
export function secretColumns(secrets: readonly (EncryptedBytes | undefined)[]): unknown[][] {
  return (['keyId', 'nonce', 'ciphertext'] as const).map((part) => secrets.map((secret) => secret?.[part] ?? null));
}

function tryToOpen(keyRing: KeyRing, encrypted: EncryptedBytes, aad: string): string | undefined {
  try {
    return keyRing.decrypt(encrypted, aad);
  } catch {
    return undefined;
  }
}
