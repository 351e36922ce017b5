import type { CalloutFilter } from '@callout/domain/callout/callout-filter';
import type { FailedReason } from '@callout/domain/callout/failed-reason';
import { failedReasonSql } from '@callout/pipeline/repair/failed-reason-sql';
import { inSearch, type RunSearch, type SearchDeps } from '../../search/search-transaction.ts';
import { SqlValues } from '../../sql-values.ts';
import { failureOf } from './callout-item.ts';
import { boundsOfPeriod, candidatesOf, webhooksIn, type TenantScope } from './callout-candidates.ts';
import { failedAttempts } from './callout-sources.ts';

/** A webhook of which callouts are shown or redelivered. */
export interface WebhookOfCallouts {
  readonly webhookId: number;
  readonly webhookGuid: string;
  readonly webhookName: string;
  readonly entityType: string;
  readonly webhookState: 'active' | 'inactive' | 'deleted';
}

/** The callouts of a webhook that failed for the same reason. */
export interface FailedGroup extends WebhookOfCallouts {
  readonly reason: FailedReason;
  readonly count: number;
  /** When the first and the last of them failed. */
  readonly first: Date;
  readonly last: Date;
  /** One of the latest of them. */
  readonly exampleId: string;
  /** The result of the last attempt and what to do, in words. */
  readonly example: string;
}

/** More than anyone reads; the latest are shown. */
export const mostFailedGroups = 1_000;

const advice = 'with since and until, or webhookGUID';

const ofWebhook = `w.id AS "webhookId", w.guid AS "webhookGuid", w.name AS "webhookName", w.entity_type AS "entityType",
  CASE WHEN w.deleted_at IS NOT NULL THEN 'deleted' WHEN w.is_active THEN 'active' ELSE 'inactive' END AS "webhookState"`;

interface GroupRow extends Omit<FailedGroup, 'example'> {
  readonly attemptId: string;
}

/**
 * The failed callouts of a tenant that can be redelivered, by webhook and reason, the latest first; without tests and
 * deactivation calls. By the index of failed last attempts: the cost is the number of failed callouts.
 * @throws an `invalid` Problem when it takes too long.
 */
export function readFailedGroups(
  search: SearchDeps,
  scope: TenantScope,
  period: Pick<CalloutFilter, 'since' | 'until'>,
): Promise<FailedGroup[]> {
  return inSearch({ ...search, advice }, scope.tenantId, async (run) => {
    const values = new SqlValues();
    const { from, before } = boundsOfPeriod(period);
    const bounds = [
      ...(from === null ? [] : [`a.callout_id >= ${values.add(from)}::uuid`]),
      ...(before === null ? [] : [`a.callout_id < ${values.add(before)}::uuid`]),
    ];
    const conditions = [failedAttempts, 'a.webhook_key = w.key', ...bounds].join(' AND ');
    // A callout that was redelivered may have failed more than once: the last time counts.
    const rows = await run<GroupRow>(
      `SELECT ${ofWebhook}, g.* FROM (${webhooksIn(scope, values)}) AS scope JOIN webhooks w USING (key), LATERAL (
         SELECT last.reason, count(*) AS count, min(c.finished_at) AS first, max(c.finished_at) AS last,
           (array_agg(last.id ORDER BY last.callout_id DESC))[1] AS "attemptId",
           (array_agg(last.callout_id ORDER BY last.callout_id DESC))[1] AS "exampleId"
         FROM (
           SELECT DISTINCT ON (a.callout_id) a.id, a.callout_id, ${failedReasonSql('a')} AS reason
           FROM attempts a WHERE ${conditions} ORDER BY a.callout_id, a.number DESC
         ) AS last, LATERAL (SELECT state, kind, finished_at FROM callouts WHERE id = last.callout_id OFFSET 0) AS c
         WHERE c.state = 'failed' AND c.kind = 'event' GROUP BY last.reason
       ) AS g ORDER BY g.last DESC, w.key, g.reason LIMIT ${mostFailedGroups}`,
      values,
    );
    const examples = await readExamples(run, rows);
    return rows.map(({ attemptId, ...row }) => ({ ...row, example: examples.get(attemptId) ?? '' }));
  });
}

async function readExamples(run: RunSearch, rows: readonly GroupRow[]): Promise<Map<string, string>> {
  const ids = rows.map(({ attemptId }) => attemptId).toSorted();
  const [first, last] = [ids.at(0), ids.at(-1)];
  if (first === undefined || last === undefined) return new Map();
  const values = new SqlValues();
  const attempts = await run<Parameters<typeof failureOf>[0] & { id: string }>(
    `SELECT a.* FROM unnest(${values.add(ids)}::uuid[]) AS n (id), LATERAL (
       SELECT id, status, response_headers AS "responseHeaders", failure FROM attempts
       WHERE id = n.id AND id BETWEEN ${values.add(first)}::uuid AND ${values.add(last)}::uuid OFFSET 0
     ) AS a`,
    values,
  );
  return new Map(attempts.map((attempt) => [attempt.id, failureOf(attempt) ?? '']));
}

/** A webhook with callouts that a filter means. */
export interface WebhookWithCallouts extends WebhookOfCallouts {
  readonly count: number;
  /** The lowest and the highest number of them. */
  readonly fromSequence: number;
  readonly toSequence: number;
}

/**
 * The webhooks of a tenant that have callouts which a filter means, deleted ones included, by their keys.
 * @throws an `invalid` Problem when it takes too long.
 */
export function readWebhooksWith(
  search: SearchDeps,
  scope: TenantScope,
  filter: CalloutFilter,
): Promise<WebhookWithCallouts[]> {
  return inSearch({ ...search, advice }, scope.tenantId, (run) => {
    const values = new SqlValues();
    const candidates = candidatesOf(scope, filter, boundsOfPeriod(filter), values);
    return run<WebhookWithCallouts>(
      `SELECT ${ofWebhook}, f.count, f.first AS "fromSequence", f.last AS "toSequence"
       FROM (${candidates.numbers()}) AS f JOIN webhooks w USING (key) ORDER BY w.key`,
      values,
    );
  });
}
