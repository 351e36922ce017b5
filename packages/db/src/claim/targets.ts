import type { SealedSecret } from '@callout/core';
import type { Client } from '../connection/database.ts';
import { statement } from '../connection/statement.ts';

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

const read = statement<TargetRow>(
  'delivery_read_targets',
  `SELECT w.key AS "webhookKey", w.version AS "webhookVersion", w.tenant_id AS "tenantId", w.guid AS "webhookGuid",
     w.webhook_url AS "webhookUrl", w.deactivation_url AS "deactivationUrl", w.secret_key_id AS "keyId",
     w.secret_nonce AS nonce, w.secret_ciphertext AS ciphertext, w.previous_secret_key_id AS "previousKeyId",
     w.previous_secret_nonce AS "previousNonce", w.previous_secret_ciphertext AS "previousCiphertext",
     CASE WHEN w.previous_secret_until > now() THEN w.previous_secret_until END AS "previousUntil"
   FROM webhooks w WHERE w.key = ANY($1::bigint[])`,
);

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
