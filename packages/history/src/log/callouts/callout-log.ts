import { bodiesOf, bodyParameters, readBodiesSql, type BodyRow } from '@callout/pipeline/payload/callout-bodies';
import type { SentCallout } from '@callout/pipeline/match/sent-values.rules';
import type { ListPosition } from '@callout/domain/query/cursors/list-cursor';
import type { Pool } from 'pg';
import { inSearch, type RunSearch, type SearchDeps } from '../../search/search-transaction.ts';
import { SqlValues } from '../../sql-values.ts';
import { statement } from '@callout/database/connection/statement/statement';
import { boundsOfPeriod, candidatesOf, closerBounds, type CalloutScope, type IdBounds } from './callout-candidates.ts';
import { readCalloutDetails, type CalloutDetails } from './callout-details.ts';
import type { CalloutFilter } from '@callout/domain/callout/callout-filter';
import { readCallouts, type LoggedCallout } from './callout-rows.ts';
import { idNear, idOf } from '@callout/database/schema/id-time';
import { lookFrom, pageOfIds, type LogPage } from '../log-page.ts';

/** The callouts of a tenant's webhooks, newest first. */
export interface CalloutLog {
  /**
   * A page; `position` null: the first one.
   * @throws an `invalid` Problem when it takes too long.
   */
  page(
    scope: CalloutScope,
    filter: CalloutFilter,
    maxRecords: number,
    position: ListPosition | null,
  ): Promise<LogPage<LoggedCallout>>;
  /** @throws an `invalid` Problem when it takes too long. */
  count(scope: CalloutScope, filter: CalloutFilter): Promise<number>;
  /** One callout with its body and attempts; `webhookKey` null: of whichever webhook of the tenant. */
  find(tenantId: number, webhookKey: number | null, calloutId: string): Promise<CalloutDetails | undefined>;
  /**
   * The callouts of a webhook about one record, the newest hundred, in the order in which they were made.
   * @throws an `invalid` Problem when it takes too long.
   */
  aboutRecord(tenantId: number, webhookKey: number, recordId: number): Promise<SentCallout[]>;
  /** The key of a webhook that is not deleted. */
  findWebhookKey(tenantId: number, entityType: string, id: number): Promise<number | undefined>;
}

const findWebhook = statement<{ key: number }>(
  'log_find_webhook',
  'SELECT key FROM webhooks WHERE (tenant_id, entity_type, id) = ($1, $2, $3) AND deleted_at IS NULL',
);

/** @param pool for reads that need no search. */
export function createCalloutLog(searchDeps: SearchDeps, pool: Pool): CalloutLog {
  const deps = { ...searchDeps, advice: 'with since and until, or fromSequence and toSequence' };
  return {
    page: (scope, filter, maxRecords, position) =>
      inSearch(deps, scope.tenantId, async (run) => {
        const values = new SqlValues();
        const candidates = candidatesOf(scope, filter, await boundsOf(run, scope, filter), values);
        const { conditions, order } = lookFrom(position, candidates.id, values);
        const tail = `ORDER BY id ${order} LIMIT ${values.add(maxRecords + 1)}`;
        const rows = await run<{ id: string }>(`${candidates.select(conditions, tail)} ${tail}`, values);
        const ids = rows.map(({ id }) => id);
        const page = pageOfIds(ids, maxRecords, position);
        return { ...page, items: await readCallouts(run, page.items) };
      }),

    count: (scope, filter) =>
      inSearch(deps, scope.tenantId, async (run) => {
        const values = new SqlValues();
        const candidates = candidatesOf(scope, filter, await boundsOf(run, scope, filter), values);
        const [row] = await run<{ count: number }>(candidates.count(), values);
        return row?.count ?? 0;
      }),

    async find(tenantId, webhookKey, calloutId) {
      const id = idOf(calloutId);
      if (id === undefined) return undefined;
      return inSearch(deps, tenantId, (run) => readCalloutDetails(run, tenantId, webhookKey, id));
    },

    aboutRecord: (tenantId, webhookKey, recordId) =>
      inSearch(deps, tenantId, async (run) => {
        const values = new SqlValues();
        const filter = { ...anyCallout, recordId };
        const candidates = candidatesOf({ tenantId, webhooks: { key: webhookKey } }, filter, allIds, values);
        const tail = `ORDER BY id DESC LIMIT ${values.add(mostAboutRecord)}`;
        const found = await run<{ id: string }>(`${candidates.select([], tail)} ${tail}`, values);
        const ids = found.map(({ id }) => id).toSorted();
        if (ids.length === 0) return [];
        const rows = await run<BodyRow>(readBodiesSql, new SqlValues(bodyParameters(ids)));
        const bodies = bodiesOf(rows);
        return rows.flatMap(({ id, action }): SentCallout[] => {
          const body = bodies.get(id);
          return body === undefined ? [] : [{ action, body }];
        });
      }),

    async findWebhookKey(tenantId, entityType, id) {
      const [row] = await findWebhook(pool, [tenantId, entityType, id]);
      return row?.key;
    },
  };
}

/**
 * Where the ids of a filter's callouts are. Sequence numbers and ids both rise with time, but the ids come from the
 * clocks of several machines: so numbers are turned into ids with an hour to spare. Without that, a range of old
 * numbers would be looked for from the newest callout on.
 */
async function boundsOf(run: RunSearch, { webhooks }: CalloutScope, filter: CalloutFilter): Promise<IdBounds> {
  const period = boundsOfPeriod(filter);
  const { fromSequence, toSequence } = filter;
  if (!('key' in webhooks)) return period;
  const numbered = async (bound: '>=' | '<=', number: number): Promise<IdBounds> => {
    const values = new SqlValues();
    const [row] = await run<{ id: string }>(
      `SELECT id FROM callouts WHERE webhook_key = ${values.add(webhooks.key)} AND sequence_number > 0
         AND sequence_number ${bound} ${values.add(number)}
       ORDER BY sequence_number ${bound === '>=' ? 'ASC' : 'DESC'} LIMIT 1`,
      values,
    );
    if (row === undefined) return noIds;
    return bound === '>='
      ? { from: idNear(row.id, -clockSlackMs), before: null }
      : { from: null, before: idNear(row.id, clockSlackMs) };
  };
  const first = fromSequence === null ? allIds : await numbered('>=', fromSequence);
  const last = toSequence === null ? allIds : await numbered('<=', toSequence);
  return [first, last].reduce(closerBounds, period);
}

/** Each brings a body; further unchanged callouts are not shown. */
const mostAboutRecord = 100;

const anyCallout: CalloutFilter = {
  since: null,
  until: null,
  states: null,
  fromSequence: null,
  toSequence: null,
  recordId: null,
  actions: null,
  kinds: null,
};
const clockSlackMs = 3_600_000;
const allIds: IdBounds = { from: null, before: null };
const noIds: IdBounds = { from: null, before: '00000000-0000-0000-0000-000000000000' };
