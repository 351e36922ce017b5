import { prepareSecret, type SecretKeys } from '@callout/core/deliver';
import { type KeyRing, type SealedSecret, secretAad } from '@callout/core/secrets';
import type { Client } from '../connection/database.ts';
import { statementFrom } from '../connection/statement/statement.ts';

/** Where a webhook's callouts go, and its keys, sealed. */
export interface StoredTarget {
  webhookKey: number;
  webhookVersion: number;
  tenantId: number;
  webhookGuid: string;
  webhookUrl: string;
  deactivationUrl: string;
  secret: SealedSecret;
  /** The key before a rotation, and until when it signs too; null without one, or when that time is over. */
  previousSecret: { sealed: SealedSecret; until: Date } | null;
}

interface TargetRow extends Omit<StoredTarget, 'secret' | 'previousSecret'> {
  keyId: string;
  nonce: Buffer;
  ciphertext: Buffer;
  previousKeyId: string | null;
  previousNonce: Buffer | null;
  previousCiphertext: Buffer | null;
  previousUntil: Date | null;
}

const read = statementFrom<TargetRow>('claim/delivery_read_targets');

/** Reads the targets of webhooks as they are now; those of deleted ones too, whose last call may still be owed. */
export async function readTargets(client: Client, webhookKeys: readonly number[]): Promise<StoredTarget[]> {
  const rows = await read(client, [webhookKeys]);
  return rows.map(targetOf);
}

function targetOf(row: TargetRow): StoredTarget {
  const { keyId, nonce, ciphertext, previousKeyId, previousNonce, previousCiphertext, previousUntil, ...target } = row;
  const isKept = previousKeyId !== null && previousNonce !== null && previousCiphertext !== null;
  return {
    ...target,
    secret: { keyId, nonce, ciphertext },
    previousSecret:
      isKept && previousUntil !== null
        ? {
            sealed: { keyId: previousKeyId, nonce: previousNonce, ciphertext: previousCiphertext },
            until: previousUntil,
          }
        : null,
  };
}

/** The keys that sign a webhook's callouts. */
export interface SigningTarget {
  current: SecretKeys;
  /** The keys while the one before a rotation signs too, and until when; null without one. */
  overlap: { keys: SecretKeys; untilMs: number } | null;
}

/**
 * Opens the secrets of a webhook.
 * @throws when the key ring lacks the key of one.
 */
export function openTarget(
  { tenantId, webhookGuid, secret, previousSecret }: StoredTarget,
  keyRing: KeyRing,
): SigningTarget {
  const aad = secretAad(tenantId, webhookGuid);
  const keyOf = (sealed: SealedSecret) => prepareSecret(keyRing.open(sealed, aad));
  const current = { current: keyOf(secret) };
  if (previousSecret === null) return { current, overlap: null };
  const keys = { ...current, previous: keyOf(previousSecret.sealed) };
  return { current, overlap: { keys, untilMs: previousSecret.until.getTime() } };
}
