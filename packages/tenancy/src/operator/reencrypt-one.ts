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

/**
 * Encrypts a secret with the present key. Undefined when the ring lacks its key, or the row is damaged: one secret must
 * not stop the re-encryption of others.
 */
export function reencryptOne(keyRing: KeyRing, sealed: EncryptedBytes, aad: string): EncryptedBytes | undefined {
  const opened = tryToOpen(keyRing, sealed, aad);
  if (opened === undefined) return undefined;
  const { keyId, nonce, ciphertext } = keyRing.encrypt(opened, aad, randomBytes(NONCE_BYTES));
  return { keyId, nonce: Buffer.from(nonce), ciphertext: Buffer.from(ciphertext) };
}

function tryToOpen(keyRing: KeyRing, sealed: EncryptedBytes, aad: string): string | undefined {
  try {
    return keyRing.decrypt(sealed, aad);
  } catch {
    return undefined;
  }
}
