import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import type { FieldValues } from '@callout/domain/values/values';
import { type KnownRecord, unseenRecord } from '@callout/pipeline/ingest/record.rules';
import type { CompiledSubscription } from '@callout/pipeline/match/match.rules';
import type { Pool } from 'pg';
import type { Database } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { createSubscriptionReader, groupKeyOf, readGroupVersions } from '@callout/pipeline/match/load';
import { statementFrom } from '@callout/database/connection/statement/statement';

/** A webhook in the eyes of the dispatcher, and the target of the next callout. */
export interface JudgedWebhook {
  readonly subscription: CompiledSubscription;
  readonly name: string;
  readonly webhookUrl: string;
  readonly nextSequenceNumber: number;
  /** JSON as text, with masks. */
  readonly requestHeaders: string;
  readonly receiverAuth: string;
  /** One of `signatureKinds`. */
  readonly signatureKind: string;
  /** By the clock that orders events and activations. */
  readonly now: Date;
}

interface TargetRow extends Omit<JudgedWebhook, 'subscription'> {
  readonly key: number;
}

const readTargetById = statementFrom<TargetRow>('history:log/simulation_read_webhook_by_id');
const readTargetByGuid = statementFrom<TargetRow>('history:log/simulation_read_webhook_by_guid');

interface RecordRow {
  readonly version: number;
  readonly fields: FieldValues;
  readonly udfFields: FieldValues;
  readonly isDeleted: boolean;
}

const readRecord = statementFrom<RecordRow>('history:log/simulation_read_record');

/**
 * A webhook by id or by GUID; undefined for a missing or deleted webhook. Nothing is kept for the next one: simulations
 * are rare.
 */
export function readJudgedWebhook(
  { database, catalogue }: { readonly database: Pick<Database, 'pool'>; readonly catalogue: Catalogue },
  group: { readonly tenantId: number; readonly entityType: string },
  idOrGuid: number | string,
): Promise<JudgedWebhook | undefined> {
  const { tenantId, entityType } = group;
  return inTransaction(database.pool, async (transaction) => {
    await transaction.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    const readTarget = typeof idOrGuid === 'number' ? readTargetById : readTargetByGuid;
    const [row] = await readTarget(transaction, [tenantId, entityType, idOrGuid]);
    if (row === undefined) return undefined;
    const versions = await readGroupVersions(transaction, { tenantId, entityType });
    const read = createSubscriptionReader(catalogue, { maxKept: 1, maxBytes: 1_000_000 });
    const subscriptions = (await read(transaction, [versions])).get(groupKeyOf({ tenantId, entityType })) ?? [];
    const { key, ...target } = row;
    const subscription = subscriptions.find(({ webhookKey }) => webhookKey === key);
    return subscription && { ...target, subscription };
  });
}

/** The values of a record that the ingest would find under the lock. */
export async function readKnownRecord(
  pool: Pool,
  tenantId: number,
  entityType: string,
  id: number,
): Promise<KnownRecord> {
  const [row] = await readRecord(pool, [tenantId, entityType, id]);
  return row === undefined || row.version === 0 ? unseenRecord : row;
}
