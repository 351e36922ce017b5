import type { SealedSecret } from '@callout/core/secrets';
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
