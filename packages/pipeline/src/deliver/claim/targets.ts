import { prepareSecret, type SecretKeys } from '../sign.rules.ts';
import { type KeyRing, type EncryptedSecret, secretAad } from '@callout/domain/secrets/keyring';
import type { StoredSecrets } from '@callout/domain/receiver/receiver-settings';
import { credentialsOf, type CallCredentials } from '../receiver/call-credentials.rules.ts';
import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';

/** Where a webhook's callouts go, and its secrets, encrypted. */
export interface StoredTarget {
  webhookKey: number;
  webhookVersion: number;
  tenantId: number;
  webhookGuid: string;
  webhookUrl: string;
  deactivationUrl: string;
  mergesWhileWaiting: boolean;
  secret: EncryptedSecret;
  /** The secret before a rotation, and until when it also signs; null without one, or when that time is over. */
  previousSecret: { encrypted: EncryptedSecret; until: Date } | null;
  /** PEM; null: the public authorities. */
  caCertificate: string | null;
  /** Request headers and authentication (`StoredSecrets`), encrypted; null: none. */
  receiver: EncryptedSecret | null;
}

interface TargetRow extends Omit<StoredTarget, 'secret' | 'previousSecret' | 'receiver'> {
  keyId: string;
  nonce: Buffer;
  ciphertext: Buffer;
  previousKeyId: string | null;
  previousNonce: Buffer | null;
  previousCiphertext: Buffer | null;
  previousUntil: Date | null;
  receiverKeyId: string | null;
  receiverNonce: Buffer | null;
  receiverCiphertext: Buffer | null;
}

const read = statementFrom<TargetRow>('deliver/delivery_read_targets');

/** Reads the current targets of webhooks; also of deleted ones, whose last call may still be due. */
export async function readTargets(client: Client, webhookKeys: readonly number[]): Promise<StoredTarget[]> {
  const rows = await read(client, [webhookKeys]);
  return rows.map(targetOf);
}

function targetOf(row: TargetRow): StoredTarget {
  const { keyId, nonce, ciphertext, previousKeyId, previousNonce, previousCiphertext, previousUntil, ...others } = row;
  const { receiverKeyId, receiverNonce, receiverCiphertext, ...target } = others;
  const isKept = previousKeyId !== null && previousNonce !== null && previousCiphertext !== null;
  return {
    ...target,
    secret: { keyId, nonce, ciphertext },
    receiver:
      receiverKeyId !== null && receiverNonce !== null && receiverCiphertext !== null
        ? { keyId: receiverKeyId, nonce: receiverNonce, ciphertext: receiverCiphertext }
        : null,
    previousSecret:
      isKept && previousUntil !== null
        ? {
            encrypted: { keyId: previousKeyId, nonce: previousNonce, ciphertext: previousCiphertext },
            until: previousUntil,
          }
        : null,
  };
}

/** The keys that sign a webhook's callouts. */
export interface SigningTarget {
  current: SecretKeys;
  /** The keys while the one before a rotation also signs, and until when; null without one. */
  overlap: { keys: SecretKeys; untilMs: number } | null;
}

/**
 * Decrypts the secrets of a webhook.
 * @throws when the key ring lacks one of their keys.
 */
export function openTarget(
  { tenantId, webhookGuid, secret, previousSecret }: StoredTarget,
  keyRing: KeyRing,
): SigningTarget {
  const aad = secretAad(tenantId, webhookGuid);
  const keyOf = (encrypted: EncryptedSecret) => prepareSecret(keyRing.decrypt(encrypted, aad));
  const current = { current: keyOf(secret) };
  if (previousSecret === null) return { current, overlap: null };
  const keys = { ...current, previous: keyOf(previousSecret.encrypted) };
  return { current, overlap: { keys, untilMs: previousSecret.until.getTime() } };
}

/**
 * Decrypts what the calls of a webhook carry beside the signature; undefined: nothing.
 * @throws when the key ring lacks its key.
 */
export function openCredentials(
  { tenantId, webhookGuid, receiver, caCertificate }: StoredTarget,
  keyRing: KeyRing,
): CallCredentials | undefined {
  const opened = receiver === null ? undefined : keyRing.decrypt(receiver, secretAad(tenantId, webhookGuid));
  return credentialsOf(opened === undefined ? undefined : (JSON.parse(opened) as StoredSecrets), caCertificate);
}
