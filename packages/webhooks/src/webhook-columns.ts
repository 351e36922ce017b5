import type { EncryptedSecret } from '@callout/domain/secrets/keyring';
import type { SettingValues } from './settings/setting.ts';
import { settings, type WebhookSettings } from './settings/settings.ts';

/** A webhook as reads need it. */
export interface StoredWebhook extends WebhookSettings {
  id: number;
  guid: string;
  ownerResourceId: number;
  /** Rises with every change of the configuration, secrets and children included. */
  version: number;
  /** The time of the last change: a version of a database that was restored from a backup has another time. */
  updatedAt: Date;
  /** An entry per Field record, and per UdfField record. */
  fields: readonly { id: number; isSubscribedField: boolean }[];
  udfFields: readonly { id: number; isSubscribedField: boolean }[];
}

/** A row that Prisma has read. Only the store writes words, so each word is allowed by its type. */
export function fromRow<Row extends Readonly<Record<keyof WebhookSettings, unknown>>>(
  row: Row,
): Omit<Row, keyof WebhookSettings> & WebhookSettings {
  return row as Row & WebhookSettings;
}

/** The columns that follow from the values of settings, beside the columns of the settings. */
export function derivedColumns(written: Partial<WebhookSettings>): object {
  const derived = settings.map(({ key, derived: columnsOf }) => {
    const value = (written as SettingValues)[key];
    return value === undefined ? {} : columnsOf?.(value as never);
  });
  return Object.assign({}, ...derived) as object;
}

/** What Prisma reads with the row of a webhook, to make a `StoredWebhook`. */
export const withFieldRecords = {
  fields: { select: { id: true, isSubscribedField: true } },
  udfFields: { select: { id: true, isSubscribedField: true } },
} as const;

/** The effect of every change of a webhook's configuration or children on the row: verdicts name the version. */
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

/** Only the present key signs. */
export const noPreviousSecret = {
  previousSecretKeyId: null,
  previousSecretNonce: null,
  previousSecretCiphertext: null,
  previousSecretUntil: null,
} as const;
