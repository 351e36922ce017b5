import { inSearch, type SearchDeps } from '../search/search-transaction.ts';
import { SqlValues } from '../sql-values.ts';
import { bucketSums, classSums } from '@callout/pipeline/sweep/buckets';
import { countedRows, type StatisticsPeriod, type StatisticsScope } from './counted-rows.ts';
import { statementFrom } from '@callout/database/connection/statement/statement';

/** The counts. */
export interface DeliveryCounts {
  readonly delivered: number;
  readonly failed: number;
  readonly attempts: number;
  readonly failedAttempts: number;
  /** How many of these were in each of `failureClasses`. */
  readonly failures: readonly number[];
  /** Held at the end of a minute, or at the most in an hour; null where it was not sampled. */
  readonly held: number | null;
  /** Of all responses together, in milliseconds. */
  readonly answerMs: number;
  /** The number of responses in each bucket of `answerTimeBoundsMs`. */
  readonly answerTimes: readonly number[];
}

export interface DeliveryPoint extends DeliveryCounts {
  readonly time: Date;
}

/** The counts of one webhook, entity or tenant. */
export interface DeliveryGroup extends DeliveryCounts {
  readonly tenantId: number;
  readonly entityType: string | null;
  readonly webhookId: number | null;
  readonly name: string | null;
}

/** The open callouts at this moment, each once. */
export interface OpenCounts {
  /** Could be sent now. */
  readonly due: number;
  /** Since when the first of them could be sent. */
  readonly dueSince: Date | null;
  /** Wait for the time of their next attempt. */
  readonly later: number;
  /** Wait for an earlier callout of their record. */
  readonly waiting: number;
  readonly held: number;
  /** Of all open callouts, the ones whose last attempt failed. */
  readonly failing: number;
  /** The id of the oldest of all; it contains the time. */
  readonly oldestId: string | null;
}

/** The counts of each minute or hour of a period that has any. */
export function readDeliveryPoints(
  search: SearchDeps,
  scope: StatisticsScope,
  period: StatisticsPeriod,
): Promise<DeliveryPoint[]> {
  return inSearch(search, scope.tenantId ?? 0, (run) => {
    const values = new SqlValues();
    return run<DeliveryPoint>(
      `SELECT time, ${sums} FROM (${countedRows(scope, period, values)}) AS s GROUP BY time ORDER BY time`,
      values,
    );
  });
}

/** The counts of each webhook, entity or tenant, those with the most attempts first. */
export function readDeliveryGroups(
  search: SearchDeps,
  scope: StatisticsScope,
  period: StatisticsPeriod,
  by: 'webhook' | 'entity' | 'tenant',
  most: number,
): Promise<DeliveryGroup[]> {
  return inSearch(search, scope.tenantId ?? 0, (run) => {
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
         "delivered", "failed", "attempts", "failedAttempts", "failures", "held", "answerMs", "answerTimes"
       FROM (
         SELECT ${keys.join(', ')}, ${sums} FROM (${countedRows(scope, period, values)}) AS s
         GROUP BY ${keys.join(', ')} ORDER BY sum(attempts) DESC LIMIT ${values.add(most)}
       ) AS g
       ${has('webhook_key') ? 'JOIN webhooks w ON w.key = g.webhook_key' : 'JOIN tenants t ON t.id = g.tenant_id'}
       ORDER BY "attempts" DESC`,
      values,
    );
  });
}

export function countOpen(search: SearchDeps, scope: StatisticsScope): Promise<OpenCounts> {
  return inSearch(search, scope.tenantId ?? 0, async (run) => {
    const values = new SqlValues();
    const [counts] = await run<OpenCounts>(
      `SELECT count(*) FILTER (WHERE state = 'due' AND due_at <= now()) AS due,
         min(due_at) FILTER (WHERE state = 'due' AND due_at <= now()) AS "dueSince",
         count(*) FILTER (WHERE state = 'due' AND due_at > now()) AS later,
         count(*) FILTER (WHERE state = 'waiting') AS waiting, count(*) FILTER (WHERE state = 'held') AS held,
         count(*) FILTER (WHERE attempts_made > attempts_before) AS failing, min(callout_id::text) AS "oldestId"
       FROM open_callouts ${openBy(scope, values)}`,
      values,
    );
    if (counts === undefined) throw new Error('a SELECT of counts gave no row');
    return counts;
  });
}

/** All earlier minutes were counted at least once; null: none was yet. */
export async function readCountedUntil({ pool }: SearchDeps): Promise<Date | null> {
  const [progress] = await readProgress(pool, []);
  return progress?.until ?? null;
}

const readProgress = statementFrom<{ until: Date }>('history:statistics/statistics_read_progress');

const sums = `sum(delivered)::int AS delivered, sum(failed)::int AS failed, sum(attempts)::int AS attempts,
  sum(failed_attempts)::int AS "failedAttempts", ${classSums} AS failures, sum(held)::int AS held, sum(answer_ms)::float8 AS "answerMs",
  ${bucketSums} AS "answerTimes"`;

/** Open callouts are found by their webhooks: the table has no index for tenants. */
function openBy(scope: StatisticsScope, values: SqlValues): string {
  const { tenantId, webhookKey = null, ownerResourceId = null, entityType = null } = scope;
  if (webhookKey !== null) return `WHERE webhook_key = ${values.add(webhookKey)}`;
  if (tenantId === null) return '';
  const conditions = [`tenant_id = ${values.add(tenantId)}`];
  if (entityType !== null) conditions.push(`entity_type = ${values.add(entityType)}`);
  if (ownerResourceId !== null) conditions.push(`owner_resource_id = ${values.add(ownerResourceId)}`);
  return `WHERE webhook_key = ANY(ARRAY(SELECT key FROM webhooks WHERE ${conditions.join(' AND ')}))`;
}
