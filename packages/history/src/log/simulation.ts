import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import type { FieldValues } from '@callout/domain/values/values';
import { type KnownRecord, unseenRecord } from '@callout/pipeline/ingest/record.rules';
import type { CompiledSubscription } from '@callout/pipeline/match/match.rules';
import type { Pool } from 'pg';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { createSubscriptionReader, groupKeyOf, readGroupVersions } from '@callout/pipeline/match/subscriptions';
import { statement } from '@callout/database/connection/statement/statement';

/** A webhook as the dispatcher sees it, and where its next callout would go. */
export interface JudgedWebhook {
  readonly subscription: CompiledSubscription;
  readonly webhookUrl: string;
  readonly nextSequenceNumber: number;
  /** By the clock that orders events and activations. */
  readonly now: Date;
}

/** Reads the data that a hypothetical event is judged by. Nothing is written. */
export interface SimulationReader {
  /** By the id of a webhook or by its guid; undefined: there is none that is not deleted. */
  webhook(tenantId: number, entityType: string, idOrGuid: number | string): Promise<JudgedWebhook | undefined>;
  /** The values that the ingest would find under the record's lock. */
  record(tenantId: number, entityType: string, id: number): Promise<KnownRecord>;
}

interface TargetRow extends Omit<JudgedWebhook, 'subscription'> {
  readonly key: number;
}

const targetBy = (column: 'id' | 'guid') =>
  statement<TargetRow>(
    `simulation_read_webhook_by_${column}`,
    `SELECT key, webhook_url AS "webhookUrl", last_sequence + 1 AS "nextSequenceNumber", clock_timestamp() AS now
     FROM webhooks WHERE tenant_id = $1 AND entity_type = $2 AND ${column} = $3 AND deleted_at IS NULL`,
  );
const readTargetById = targetBy('id');
const readTargetByGuid = targetBy('guid');

interface RecordRow {
  readonly version: number;
  readonly fields: FieldValues;
  readonly udfFields: FieldValues;
  readonly isDeleted: boolean;
}

const readRecord = statement<RecordRow>(
  'simulation_read_record',
  `SELECT version, fields, udf_fields AS "udfFields", deleted_at IS NOT NULL AS "isDeleted"
   FROM records WHERE (tenant_id, entity_type, id) = ($1, $2, $3)`,
);

/** Uses the subscription reader of match, which keeps next to nothing here: simulations are rare. */
export function createSimulationReader(pool: Pool, catalogue: Catalogue): SimulationReader {
  const readSubscriptions = createSubscriptionReader(catalogue, 1);
  return {
    webhook: (tenantId, entityType, idOrGuid) =>
      inTransaction(pool, async (transaction) => {
        await transaction.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
        const readTarget = typeof idOrGuid === 'number' ? readTargetById : readTargetByGuid;
        const [row] = await readTarget(transaction, [tenantId, entityType, idOrGuid]);
        if (row === undefined) return undefined;
        const group = { tenantId, entityType };
        const versions = await readGroupVersions(transaction, group);
        const subscriptions = (await readSubscriptions(transaction, [versions])).get(groupKeyOf(group)) ?? [];
        const { key, ...target } = row;
        const subscription = subscriptions.find(({ webhookKey }) => webhookKey === key);
        return subscription && { ...target, subscription };
      }),

    async record(tenantId, entityType, id) {
      const [row] = await readRecord(pool, [tenantId, entityType, id]);
      return row === undefined || row.version === 0 ? unseenRecord : row;
    },
  };
}
