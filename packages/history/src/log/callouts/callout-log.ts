import { bodiesOf, bodyParameters, readBodiesSql, type BodyRow } from '@callout/pipeline/payload/callout-bodies';
import type { SentCallout } from '@callout/pipeline/match/sent-values.rules';
import type { ListPosition } from '@callout/domain/query/list-cursor';
import { inSearch, type RunSearch, type SearchDeps } from '../../search/search-transaction.ts';
import { SqlValues } from '../../sql-values.ts';
import { boundsOfPeriod, candidatesOf, closerBounds, type CalloutScope, type IdBounds } from './callout-candidates.ts';
import { readCalloutDetails, type CalloutDetails } from './callout-details.ts';
import type { CalloutFilter } from '@callout/domain/callout/callout-filter';
import { readCallouts, type LoggedCallout } from './callout-rows.ts';
import { idNear, idOf } from '@callout/database/schema/ids';
import { lookFrom, pageOfIds, type LogPage } from '../log-page.ts';

/** How a list of callouts that takes too long is narrowed. */
export const advice = 'with since and until, or fromSequence and toSequence';

/**
 * A page of callouts, newest first; `position` null: the first one.
 * @throws an `invalid` Problem when it takes too long.
 */
export function listCallouts(
  search: SearchDeps,
  scope: CalloutScope,
  filter: CalloutFilter,
  maxRecords: number,
  position: ListPosition | null,
): Promise<LogPage<LoggedCallout>> {
  return inSearch({ ...search, advice }, scope.tenantId, async (run) => {
    const page = await findPage(run, scope, filter, maxRecords, position);
    return { ...page, items: await readCallouts(run, page.items) };
  });
}

/**
 * The ids of a page of callouts, as `listCallouts` has it.
 * @throws an `invalid` Problem when it takes too long.
 */
export function listCalloutIds(
  search: SearchDeps,
  scope: CalloutScope,
  filter: CalloutFilter,
  maxRecords: number,
  position: ListPosition | null,
): Promise<LogPage<string>> {
  return inSearch({ ...search, advice }, scope.tenantId, (run) => findPage(run, scope, filter, maxRecords, position));
}

async function findPage(
  run: RunSearch,
  scope: CalloutScope,
  filter: CalloutFilter,
  maxRecords: number,
  position: ListPosition | null,
): Promise<LogPage<string>> {
  const values = new SqlValues();
  const candidates = candidatesOf(scope, filter, await boundsOf(run, scope, filter), values);
  const { conditions, order } = lookFrom(position, candidates.id, values);
  const tail = `ORDER BY id ${order} LIMIT ${values.add(maxRecords + 1)}`;
  const rows = await run<{ id: string }>(`${candidates.select(conditions, tail)} ${tail}`, values);
  const ids = rows.map(({ id }) => id);
  return pageOfIds(ids, maxRecords, position);
}

/** @throws an `invalid` Problem when it takes too long. */
export function countCallouts(search: SearchDeps, scope: CalloutScope, filter: CalloutFilter): Promise<number> {
  return inSearch({ ...search, advice }, scope.tenantId, async (run) => {
    const values = new SqlValues();
    const candidates = candidatesOf(scope, filter, await boundsOf(run, scope, filter), values);
    const [row] = await run<{ count: number }>(candidates.count(), values);
    return row?.count ?? 0;
  });
}

/** One callout with its body and attempts; `webhookKey` null: of any webhook of the tenant. */
export async function findCallout(
  search: SearchDeps,
  tenantId: number,
  webhookKey: number | null,
  calloutId: string,
): Promise<CalloutDetails | undefined> {
  const id = idOf(calloutId);
  if (id === undefined) return undefined;
  return inSearch({ ...search, advice }, tenantId, (run) => readCalloutDetails(run, tenantId, webhookKey, id));
}

/**
 * Passes on the callouts of a webhook about one record, the newest hundred, in the order of their creation, in small
 * parts: each part is done with before the next is read.
 * @throws an `invalid` Problem when the search takes too long.
 */
export function forCalloutsOfRecord(
  search: SearchDeps,
  tenantId: number,
  webhookKey: number,
  recordId: number,
  take: (callouts: readonly SentCallout[]) => void,
): Promise<void> {
  return inSearch({ ...search, advice }, tenantId, async (run, yieldToOthers) => {
    const values = new SqlValues();
    const filter = { ...anyCallout, recordId };
    const candidates = candidatesOf({ tenantId, webhooks: { key: webhookKey } }, filter, allIds, values);
    const tail = `ORDER BY id DESC LIMIT ${values.add(mostAboutRecord)}`;
    const rows = await run<{ id: string }>(`${candidates.select([], tail)} ${tail}`, values);
    const ids = rows.map(({ id }) => id).toSorted();
    for (let at = 0; at < ids.length; at += BODIES_PER_READ) {
      const part = ids.slice(at, at + BODIES_PER_READ);
      const rows = await run<BodyRow>(readBodiesSql, new SqlValues(bodyParameters(part)));
      const bodies = bodiesOf(rows);
      take(
        rows.flatMap(({ id, action }): SentCallout[] => {
          const body = bodies.get(id);
          return body === undefined ? [] : [{ action, body }];
        }),
      );
      await yieldToOthers();
    }
  });
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
/** Each body is made from all values of its record, up to 256 KiB: memory has no more of them at once. */
const BODIES_PER_READ = 10;

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
