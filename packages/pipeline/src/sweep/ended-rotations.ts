import type { Pool } from 'pg';
import { byService } from '@callout/domain/changes/actor';
import { fieldChanges } from '@callout/domain/changes/field-changes';
import { publicKeyText } from '@callout/domain/secrets/signing-key';
import { recordChanges } from '@callout/database/changes/record-changes';
import { statementFrom } from '@callout/database/connection/statement/statement';
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

const endKeys = statementFrom<EndedKey>('sweep/rotations_end_keys');

const endSecrets = statementFrom<EndedSecret>('sweep/rotations_end_secrets');

/**
 * Deletes secrets and signing keys whose overlap after a rotation is over: they sign nothing any more.
 * @returns how many.
 */
export function endRotations(pool: Pool, limit: number): Promise<number> {
  return inTransaction(pool, async (transaction) => {
    const keys = await endKeys(transaction, [limit]);
    const secrets = await endSecrets(transaction, [limit]);
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
