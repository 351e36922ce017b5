import type { SealedSecret } from '@callout/core/secrets';

/** What every change of a webhook's configuration or of its children does to its row: verdicts name the version. */
export function nextVersion(now: Date) {
  return { version: { increment: 1 }, updatedAt: now };
}

/** A sealed secret as it is stored. */
export function secretColumns({ keyId, nonce, ciphertext }: SealedSecret) {
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
