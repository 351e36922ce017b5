import type { SqlValues } from '../sql-values.ts';
import { bucketSums, classSums } from '@callout/pipeline/sweep/buckets';

/** The scope of deliveries: the intersection of all of these. */
export interface StatisticsScope {
  /** Null: of all tenants. */
  readonly tenantId: number | null;
  readonly webhookKey?: number | null;
  /** One of these webhooks; at most as many as a page has. */
  readonly webhookKeys?: readonly number[];
  readonly ownerResourceId?: number | null;
  readonly entityType?: string | null;
}

export interface StatisticsPeriod {
  readonly from: Date;
  readonly to: Date;
  readonly interval: 'minute' | 'hour';
}

const counted =
  'tenant_id, entity_type, webhook_key, delivered, failed, attempts, failed_attempts, failures, answer_ms, answer_times';

/** SQL: up to when hours are counted. */
export const hoursUntil = `coalesce((SELECT hours_until FROM statistics_progress WHERE name = 'deliveries'), '-infinity')`;

/**
 * SQL: the counts of webhooks in the minutes or hours of a period, for each `time` and webhook. Hours that are not
 * counted yet are summed from their minutes.
 */
export function countedRows(
  scope: StatisticsScope,
  { from, to, interval }: StatisticsPeriod,
  values: SqlValues,
): string {
  const [start, end] = [values.add(from), values.add(to)];
  const within = conditionsOf(scope, values);
  if (interval === 'minute') {
    return `SELECT minute AS time, held, ${counted} FROM delivery_minutes
      WHERE minute >= ${start} AND minute < ${end} ${within}`;
  }
  return `SELECT hour AS time, held, ${counted} FROM delivery_hours
      WHERE hour >= ${start} AND hour < ${end} AND hour < ${hoursUntil} ${within}
    UNION ALL
    SELECT time, max(held), tenant_id, entity_type, webhook_key, sum(delivered), sum(failed), sum(attempts),
      sum(failed_attempts), ${classSums}, sum(answer_ms), ${bucketSums}
    FROM (SELECT date_trunc('hour', minute, 'UTC') AS time, held, ${counted} FROM delivery_minutes
      WHERE minute >= ${start} AND minute < ${end} AND minute >= ${hoursUntil} ${within}) AS m
    GROUP BY time, tenant_id, entity_type, webhook_key`;
}

function conditionsOf(scope: StatisticsScope, values: SqlValues): string {
  const { tenantId, webhookKey = null, webhookKeys, ownerResourceId = null, entityType = null } = scope;
  const conditions: string[] = [];
  if (webhookKey !== null) conditions.push(`webhook_key = ${values.add(webhookKey)}`);
  if (webhookKeys !== undefined) conditions.push(`webhook_key = ANY(${values.add(webhookKeys)}::bigint[])`);
  if (tenantId !== null) conditions.push(`tenant_id = ${values.add(tenantId)}`);
  if (entityType !== null) conditions.push(`entity_type = ${values.add(entityType)}`);
  if (tenantId !== null && ownerResourceId !== null) {
    conditions.push(
      `webhook_key = ANY(ARRAY(SELECT key FROM webhooks WHERE tenant_id = ${values.add(tenantId)} AND owner_resource_id = ${values.add(ownerResourceId)}))`,
    );
  }
  return conditions.map((condition) => `AND ${condition}`).join(' ');
}
