import { inSearch, type SearchDeps } from '../search/search-transaction.ts';
import { SqlValues } from '../search/sql-values.ts';
import { bucketSums } from './buckets.ts';

/** Whose deliveries are asked for: all of these at once. */
export interface StatisticsScope {
  /** Null: of all tenants. */
  readonly tenantId: number | null;
  readonly webhookKey?: number | null;
  readonly ownerResourceId?: number | null;
  readonly entityType?: string | null;
}

export interface StatisticsPeriod {
  readonly from: Date;
  readonly to: Date;
  readonly interval: 'minute' | 'hour';
}

/** What was counted. */
export interface DeliveryCounts {
  readonly delivered: number;
  readonly failed: number;
  readonly attempts: number;
  readonly failedAttempts: number;
  /** Held at the end of a minute, or at the most in an hour; null where it was not sampled. */
  readonly held: number | null;
  /** Of all answers together, in milliseconds. */
  readonly answerMs: number;
  /** How many answers were in each bucket of `answerTimeBoundsMs`. */
  readonly answerTimes: readonly number[];
}

export interface DeliveryPoint extends DeliveryCounts {
  readonly time: Date;
}

/** What belongs to one webhook, entity or tenant. */
export interface DeliveryGroup extends DeliveryCounts {
  readonly tenantId: number;
  readonly entityType: string | null;
  readonly webhookId: number | null;
  readonly name: string | null;
}

/** What is owed at this moment, each open callout once. */
export interface OwedCounts {
  /** Could be sent now. */
  readonly due: number;
  /** Since when the first of those could be sent. */
  readonly dueSince: Date | null;
  /** Wait for the time of their next attempt. */
  readonly later: number;
  /** Wait for an earlier callout of their record. */
  readonly waiting: number;
  readonly held: number;
  /** The id of the oldest of all; it tells the time. */
  readonly oldestId: string | null;
}

export interface StatisticsReader {
  points(scope: StatisticsScope, period: StatisticsPeriod): Promise<DeliveryPoint[]>;
  /** The groups with the most attempts first. */
  groups(
    scope: StatisticsScope,
    period: StatisticsPeriod,
    by: 'webhook' | 'entity' | 'tenant',
    most: number,
  ): Promise<DeliveryGroup[]>;
  owed(scope: StatisticsScope): Promise<OwedCounts>;
  /** All earlier minutes were counted at least once; null: none was yet. */
  countedUntil(): Promise<Date | null>;
}

/** Reads what is counted of deliveries: never the history, however long the time that is asked for. */
export function createStatisticsReader(deps: SearchDeps): StatisticsReader {
  return {
    points: (scope, period) =>
      inSearch(deps, scope.tenantId ?? 0, (run) => {
        const values = new SqlValues();
        return run<DeliveryPoint>(
          `SELECT time, ${sums} FROM (${rowsOf(scope, period, values)}) AS s GROUP BY time ORDER BY time`,
          values,
        );
      }),

    groups: (scope, period, by, most) =>
      inSearch(deps, scope.tenantId ?? 0, (run) => {
        const values = new SqlValues();
        const keys = {
          webhook: ['tenant_id', 'entity_type', 'webhook_key'],
          entity: ['tenant_id', 'entity_type'],
          tenant: ['tenant_id'],
        }[by];
        const has = (key: string) => keys.includes(key);
        return run<DeliveryGroup>(
          `SELECT g.tenant_id AS "tenantId", ${has('entity_type') ? 'g.entity_type' : 'NULL'} AS "entityType",
             ${has('webhook_key') ? 'w.id AS "webhookId", w.name' : by === 'tenant' ? 'NULL AS "webhookId", t.name' : 'NULL AS "webhookId", NULL AS name'},
             "delivered", "failed", "attempts", "failedAttempts", "held", "answerMs", "answerTimes"
           FROM (
             SELECT ${keys.join(', ')}, ${sums} FROM (${rowsOf(scope, period, values)}) AS s
             GROUP BY ${keys.join(', ')} ORDER BY sum(attempts) DESC LIMIT ${values.add(most)}
           ) AS g
           ${has('webhook_key') ? 'JOIN webhooks w ON w.key = g.webhook_key' : 'JOIN tenants t ON t.id = g.tenant_id'}
           ORDER BY "attempts" DESC`,
          values,
        );
      }),

    owed: (scope) =>
      inSearch(deps, scope.tenantId ?? 0, async (run) => {
        const values = new SqlValues();
        const [counts] = await run<OwedCounts>(
          `SELECT count(*) FILTER (WHERE state = 'due' AND due_at <= now()) AS due,
             min(due_at) FILTER (WHERE state = 'due' AND due_at <= now()) AS "dueSince",
             count(*) FILTER (WHERE state = 'due' AND due_at > now()) AS later,
             count(*) FILTER (WHERE state = 'waiting') AS waiting, count(*) FILTER (WHERE state = 'held') AS held,
             min(callout_id::text) AS "oldestId"
           FROM open_callouts ${owedBy(scope, values)}`,
          values,
        );
        if (counts === undefined) throw new Error('a SELECT of counts gave no row');
        return counts;
      }),

    countedUntil: () =>
      inSearch(deps, 0, async (run) => {
        const [progress] = await run<{ until: Date }>(
          "SELECT seen_until AS until FROM statistics_progress WHERE name = 'deliveries'",
          new SqlValues(),
        );
        return progress?.until ?? null;
      }),
  };
}

const sums = `sum(delivered)::int AS delivered, sum(failed)::int AS failed, sum(attempts)::int AS attempts,
  sum(failed_attempts)::int AS "failedAttempts", sum(held)::int AS held, sum(answer_ms)::float8 AS "answerMs",
  ${bucketSums} AS "answerTimes"`;

const counted =
  'tenant_id, entity_type, webhook_key, delivered, failed, attempts, failed_attempts, answer_ms, answer_times';

/** Hours that are not counted yet are made of their minutes. */
function rowsOf(scope: StatisticsScope, { from, to, interval }: StatisticsPeriod, values: SqlValues): string {
  const [start, end] = [values.add(from), values.add(to)];
  const within = conditionsOf(scope, values);
  if (interval === 'minute') {
    return `SELECT minute AS time, held, ${counted} FROM delivery_minutes
      WHERE minute >= ${start} AND minute < ${end} ${within}`;
  }
  const hoursUntil = `coalesce((SELECT hours_until FROM statistics_progress WHERE name = 'deliveries'), '-infinity')`;
  return `SELECT hour AS time, held, ${counted} FROM delivery_hours
      WHERE hour >= ${start} AND hour < ${end} AND hour < ${hoursUntil} ${within}
    UNION ALL
    SELECT time, max(held), tenant_id, entity_type, webhook_key, sum(delivered), sum(failed), sum(attempts),
      sum(failed_attempts), sum(answer_ms), ${bucketSums}
    FROM (SELECT date_trunc('hour', minute, 'UTC') AS time, held, ${counted} FROM delivery_minutes
      WHERE minute >= ${start} AND minute < ${end} AND minute >= ${hoursUntil} ${within}) AS m
    GROUP BY time, tenant_id, entity_type, webhook_key`;
}

function conditionsOf(scope: StatisticsScope, values: SqlValues): string {
  const { tenantId, webhookKey = null, ownerResourceId = null, entityType = null } = scope;
  const conditions: string[] = [];
  if (webhookKey !== null) conditions.push(`webhook_key = ${values.add(webhookKey)}`);
  if (tenantId !== null) conditions.push(`tenant_id = ${values.add(tenantId)}`);
  if (entityType !== null) conditions.push(`entity_type = ${values.add(entityType)}`);
  if (tenantId !== null && ownerResourceId !== null) {
    conditions.push(
      `webhook_key = ANY(ARRAY(SELECT key FROM webhooks WHERE tenant_id = ${values.add(tenantId)} AND owner_resource_id = ${values.add(ownerResourceId)}))`,
    );
  }
  return conditions.map((condition) => `AND ${condition}`).join(' ');
}

/** Open callouts are found by their webhooks: the table has no index for tenants. */
function owedBy(scope: StatisticsScope, values: SqlValues): string {
  const { tenantId, webhookKey = null, ownerResourceId = null, entityType = null } = scope;
  if (webhookKey !== null) return `WHERE webhook_key = ${values.add(webhookKey)}`;
  if (tenantId === null) return '';
  const conditions = [`tenant_id = ${values.add(tenantId)}`];
  if (entityType !== null) conditions.push(`entity_type = ${values.add(entityType)}`);
  if (ownerResourceId !== null) conditions.push(`owner_resource_id = ${values.add(ownerResourceId)}`);
  return `WHERE webhook_key = ANY(ARRAY(SELECT key FROM webhooks WHERE ${conditions.join(' AND ')}))`;
}
