import type { SealedSecret } from '@callout/core';
import type { Client } from '../database.ts';
import { statement } from '../statement.ts';

/** Where a webhook's callouts go, and its key, sealed. */
export interface StoredTarget {
  webhookKey: number;
  webhookVersion: number;
  tenantId: number;
  webhookGuid: string;
  webhookUrl: string;
  secret: SealedSecret;
}

interface TargetRow extends Omit<StoredTarget, 'secret'> {
  keyId: string;
  nonce: Buffer;
  ciphertext: Buffer;
}

const read = statement<TargetRow>(
  'delivery_read_targets',
  `SELECT key AS "webhookKey", version AS "webhookVersion", tenant_id AS "tenantId", guid AS "webhookGuid",
     webhook_url AS "webhookUrl", secret_key_id AS "keyId", secret_nonce AS nonce, secret_ciphertext AS ciphertext
   FROM webhooks WHERE key = ANY($1::bigint[])`,
);

/** Reads the targets of webhooks as they are now. */
export async function readTargets(client: Client, webhookKeys: readonly number[]): Promise<StoredTarget[]> {
  const rows = await read(client, [webhookKeys]);
  return rows.map(({ keyId, nonce, ciphertext, ...target }) => ({ ...target, secret: { keyId, nonce, ciphertext } }));
}
