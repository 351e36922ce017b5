import type { EncryptedSecret } from '@callout/domain/secrets/keyring';

/** The effect of every change of a webhook's configuration or of its children on its row: verdicts name the version. */
export function nextVersion(now: Date) {
  return { version: { increment: 1 }, updatedAt: now };
}

/** A encrypted secret as it is stored. */
export function secretColumns({ keyId, nonce, ciphertext }: EncryptedSecret) {
  return {
    secretKeyId: keyId,
    secretNonce: Uint8Array.from(nonce),
    secretCiphertext: Uint8Array.from(ciphertext),
  };
}

/** No key beside the present one signs. */
export const noPreviousSecret = {
  previousSecretKeyId: null,
  previousSecretNonce: null,
  previousSecretCiphertext: null,
  previousSecretUntil: null,
} as const;
