import type { EncryptedSecret } from '@callout/domain/secrets/keyring';
import type { WebhookSettings } from '@callout/domain/webhook/webhook';

/** A webhook as reads need it. */
export interface StoredWebhook extends WebhookSettings {
  id: number;
  guid: string;
  ownerResourceId: number;
  /** Rises with every change of the configuration, secrets and children included. */
  version: number;
  /** When it was changed last: a version of a database that was restored from a backup has another time. */
  updatedAt: Date;
  /** One entry per Field record, and per UdfField record. */
  fields: readonly { id: number; isSubscribedField: boolean }[];
  udfFields: readonly { id: number; isSubscribedField: boolean }[];
}

/** A row that Prisma has read. Only the store writes words, so they are those that the type allows. */
export function fromRow<Row extends { readonly payloadFormat: string; readonly alertFormat: string }>(row: Row) {
  return {
    ...row,
    payloadFormat: row.payloadFormat as WebhookSettings['payloadFormat'],
    alertFormat: row.alertFormat as WebhookSettings['alertFormat'],
  };
}

/** What Prisma reads with the row of a webhook, to make a `StoredWebhook`. */
export const withFieldRecords = {
  fields: { select: { id: true, isSubscribedField: true } },
  udfFields: { select: { id: true, isSubscribedField: true } },
} as const;

/** The effect of every change of a webhook's configuration or of its children on its row: verdicts name the version. */
export function nextVersion(now: Date) {
  return { version: { increment: 1 }, updatedAt: now };
}

/** An encrypted secret as it is stored. */
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
