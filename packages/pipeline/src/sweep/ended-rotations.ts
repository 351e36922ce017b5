import type { Pool } from 'pg';
import { byService } from '@callout/domain/changes/actor';
import { fieldChanges } from '@callout/domain/changes/field-changes';
import { publicKeyText } from '@callout/domain/secrets/signing-key';
import { recordChanges } from '@callout/database/changes/record-changes';
import { inTransaction } from '@callout/database/connection/transaction/transaction';

interface EndedSecret {
  readonly key: number;
  readonly tenantId: number;
  readonly until: Date;
}

interface EndedKey {
  readonly tenantId: number;
  readonly publicKey: Buffer;
  readonly until: Date;
}

const served = `(SELECT state FROM tenants WHERE id = tenant_id) = 'active'`;

// A row that a request is changing at the moment is locked, and waits for the next round.
const endSecrets = `WITH ended AS (
    SELECT key, tenant_id, previous_secret_until AS until FROM webhooks
    WHERE previous_secret_until <= now() AND deleted_at IS NULL AND ${served}
    ORDER BY key LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
  )
  UPDATE webhooks w SET previous_secret_key_id = NULL, previous_secret_nonce = NULL, previous_secret_ciphertext = NULL,
    previous_secret_until = NULL FROM ended WHERE w.key = ended.key
  RETURNING w.key, ended.tenant_id AS "tenantId", ended.until`;

const endKeys = `WITH ended AS (
    SELECT tenant_id, previous_public_key, previous_until AS until FROM signing_keys
    WHERE previous_until <= now() AND ${served} ORDER BY tenant_id LIMIT $1 FOR UPDATE SKIP LOCKED
  )
  UPDATE signing_keys k SET previous_public_key = NULL, previous_created_at = NULL, previous_key_id = NULL,
    previous_nonce = NULL, previous_ciphertext = NULL, previous_until = NULL FROM ended WHERE k.tenant_id = ended.tenant_id
  RETURNING ended.tenant_id AS "tenantId", ended.previous_public_key AS "publicKey", ended.until`;

/**
 * Deletes secrets and signing keys whose overlap after a rotation is over: they sign nothing any more.
 * @returns how many.
 */
export function endRotations(pool: Pool, limit: number): Promise<number> {
  return inTransaction(pool, async (transaction) => {
    const keys = (await transaction.query<EndedKey>(endKeys, [limit])).rows;
    const secrets = (await transaction.query<EndedSecret>(endSecrets, [limit])).rows;
    const entry = { action: 'updated', actor: byService, cause: 'rotationEnded' } as const;
    await recordChanges(transaction, [
      ...keys.map(({ tenantId, publicKey, until }) => {
        const before = {
          previousSigningPublicKey: publicKeyText(publicKey),
          previousEndDateTime: until.toISOString(),
        };
        return { ...entry, tenantId, entity: 'signingKey' as const, fields: fieldChanges(before, null) };
      }),
      ...secrets.map(({ key: webhookKey, tenantId, until }) => {
        const fields = fieldChanges({ previousSecretUntil: until.toISOString() }, null);
        return { ...entry, tenantId, entity: 'webhook' as const, webhookKey, fields };
      }),
    ]);
    return keys.length + secrets.length;
  });
}
