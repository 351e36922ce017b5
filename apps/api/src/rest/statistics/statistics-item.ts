import { answerTimeAt, answerTimeBoundsMs } from '@callout/pipeline/sweep/answer-times.rules';
import { failureClasses, failureCountsOf } from '@callout/pipeline/sweep/failure-classes.rules';
import { timeOfId } from '@callout/database/schema/ids';
import type { StatisticsPeriod, StatisticsScope } from '@callout/history/statistics/counted-rows';
import type { SearchDeps } from '@callout/history/search/search-transaction';
import {
  countOpen,
  readCountedUntil,
  readDeliveryGroups,
  readDeliveryPoints,
  type DeliveryCounts,
} from '@callout/history/statistics/read-statistics';

type GroupBy = 'webhook' | 'entity' | 'tenant';

const unitMs = { minute: 60_000, hour: 3_600_000 } as const;
const mostGroups = 500;

/** The statistics of a scope and period, as a response shows them. */
export async function statisticsItem(
  search: SearchDeps,
  scope: StatisticsScope,
  period: StatisticsPeriod,
  groupBy?: GroupBy,
): Promise<Readonly<Record<string, unknown>>> {
  const { from, to, interval } = period;
  const [points, toDeliver, countedUntil, groups] = await Promise.all([
    readDeliveryPoints(search, scope, period),
    countOpen(search, scope),
    readCountedUntil(search),
    groupBy === undefined ? undefined : readDeliveryGroups(search, scope, period, groupBy, mostGroups),
  ]);
  const byTime = new Map(points.map((point) => [point.time.getTime(), point]));
  const times: number[] = [];
  for (let at = from.getTime(); at < to.getTime(); at += unitMs[interval]) times.push(at);
  const { dueSince, oldestId, ...counts } = toDeliver;
  return {
    interval,
    fromDateTime: from,
    toDateTime: to,
    countedUntilDateTime: countedUntil,
    totals: countsItem(points.reduce(added, nothing)),
    points: times.map((at) => ({ dateTime: new Date(at), ...countsItem(byTime.get(at) ?? nothing) })),
    toDeliver: {
      due: counts.due,
      dueSinceDateTime: dueSince,
      later: counts.later,
      waiting: counts.waiting,
      held: counts.held,
      failing: counts.failing,
      oldestDateTime: oldestId === null ? null : timeOfId(oldestId),
    },
    ...(groups && {
      groups: groups.map(({ tenantId, entityType, webhookId, name, ...group }) => ({
        ...(groupBy === 'tenant' && { tenantID: tenantId }),
        entityType,
        webhookID: webhookId,
        name,
        ...countsItem(group),
      })),
    }),
  };
}

const nothing: DeliveryCounts = {
  delivered: 0,
  failed: 0,
  attempts: 0,
  failedAttempts: 0,
  failures: failureClasses.map(() => 0),
  held: null,
  answerMs: 0,
  answerTimes: Array<number>(answerTimeBoundsMs.length + 1).fill(0),
};

function added(one: DeliveryCounts, other: DeliveryCounts): DeliveryCounts {
  return {
    delivered: one.delivered + other.delivered,
    failed: one.failed + other.failed,
    attempts: one.attempts + other.attempts,
    failedAttempts: one.failedAttempts + other.failedAttempts,
    failures: one.failures.map((count, place) => count + (other.failures[place] ?? 0)),
    // A callout may be held in each of several points.
    held: other.held ?? one.held,
    answerMs: one.answerMs + other.answerMs,
    answerTimes: one.answerTimes.map((count, bucket) => count + (other.answerTimes[bucket] ?? 0)),
  };
}

function countsItem(counts: DeliveryCounts) {
  const { delivered, failed, attempts, failedAttempts, failures, held: heldCallouts, answerMs, answerTimes } = counts;
  const responses = answerTimes.reduce((sum, count) => sum + count, 0);
  return {
    delivered,
    failed,
    attempts,
    failedAttempts,
    failures: failureCountsOf(failures, failedAttempts),
    held: heldCallouts,
    averageMs: responses === 0 ? null : Math.round(answerMs / responses),
    p50Ms: answerTimeAt(answerTimes, 0.5),
    p95Ms: answerTimeAt(answerTimes, 0.95),
  };
}
