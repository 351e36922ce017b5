import type { SqlValues } from '../../sql-values.ts';
import type { CalloutFilter, CalloutState } from '@callout/domain/callout/callout-filter';
import { isOpen, throughFailures, throughOpen, wayTo, type CalloutSource } from './callout-sources.ts';
import { lowestId } from '@callout/database/schema/id-time';

/** The scope of callouts: of one webhook, or of a tenant's matching webhooks, deleted ones included. */
export interface CalloutScope {
  readonly tenantId: number;
  readonly webhooks: { readonly key: number } | { readonly entityType: string | null; readonly guid: string | null };
}

/** Ids between which all callouts are that a filter means. */
export interface IdBounds {
  readonly from: string | null;
  readonly before: string | null;
}

/** Callouts that a filter means, as SQL. */
export interface Candidates {
  /** The column of their ids, for positions. */
  readonly id: string;
  /**
   * Their ids, each once, of every webhook `w` apart; `further` are more conditions, `tail` is an ORDER BY and a LIMIT.
   */
  readonly select: (further: readonly string[], tail: string) => string;
  /** How many there are. */
  readonly count: () => string;
}

/** Finds the shortest way to the callouts that a filter means. */
export function candidatesOf(
  scope: CalloutScope,
  filter: CalloutFilter,
  bounds: IdBounds,
  values: SqlValues,
): Candidates {
  const { states } = filter;
  const way = wayTo(filter);
  const conditions = [
    ...way.always,
    `${way.callout}.webhook_key = w.key`,
    ...stateConditions(way, states, values),
    ...boundConditions(way, bounds, values),
    ...valueConditions(way, filter, values),
  ];
  const webhooks = webhooksOf(scope, way, values);
  const isDistinct = way.isRepeating === true;
  const idsOf = (further: readonly string[]) =>
    `SELECT ${isDistinct ? 'DISTINCT ' : ''}${way.id} AS id FROM ${way.from} WHERE ${[...conditions, ...further].join(' AND ')}`;
  return {
    id: way.id,
    select: (further, tail) => {
      // A webhook of its own is named, and not looked up: its callouts come in their order then, without sorting.
      const ids = idsOf(further);
      return `SELECT top.id FROM (${webhooks}) w, LATERAL (${ids} ${tail}) top`;
    },
    count: () => {
      const counted = isDistinct ? `count(DISTINCT ${way.id})` : 'count(*)';
      return `SELECT coalesce(sum(n.count), 0)::bigint AS count FROM (${webhooks}) w,
        LATERAL (SELECT ${counted} AS count FROM ${way.from} WHERE ${conditions.join(' AND ')}) n`;
    },
  };
}

/** Each webhook, with each of the actions that are looked for one by one. */
function webhooksOf({ tenantId, webhooks }: CalloutScope, { actions }: CalloutSource, values: SqlValues): string {
  // A single webhook is a plain condition, not unnested: its callouts come in their order then.
  const isOne = actions?.length === 1;
  const each = actions === undefined || isOne ? '' : `unnest(${values.add(actions)}::text[]) AS looked (action)`;
  const action = actions === undefined ? '' : `, ${isOne ? `${values.add(actions[0])}::text AS ` : 'looked.'}action`;
  if ('key' in webhooks) {
    return `SELECT ${values.add(webhooks.key)}::bigint AS key${action}${each === '' ? '' : ` FROM ${each}`}`;
  }
  const conditions = [`tenant_id = ${values.add(tenantId)}`];
  if (webhooks.entityType !== null) conditions.push(`entity_type = ${values.add(webhooks.entityType)}`);
  if (webhooks.guid !== null) conditions.push(`guid = ${values.add(webhooks.guid)}::uuid`);
  return `SELECT key${action} FROM webhooks${each === '' ? '' : `, ${each}`} WHERE ${conditions.join(' AND ')}`;
}

/** An open callout has its state in its row of work, and history calls it open. */
function stateConditions(way: CalloutSource, states: readonly CalloutState[] | null, values: SqlValues): string[] {
  if (states === null || way === throughFailures) return [];
  if (way === throughOpen) return [`c.state = ANY(${values.add(states)}::text[])`];
  const ended = states.filter((state) => !isOpen(state));
  const open = states.filter(isOpen);
  const test = `c.state = ANY(${values.add(ended)}::text[])`;
  if (open.length === 0) return [test];
  const isOneOfThem = `EXISTS (SELECT FROM open_callouts o
    WHERE o.callout_id = c.id AND o.state = ANY(${values.add(open)}::text[]))`;
  return [`(${test} OR (c.state = 'open' AND ${isOneOfThem}))`];
}

function boundConditions({ id }: CalloutSource, { from, before }: IdBounds, values: SqlValues): string[] {
  return [
    ...(from === null ? [] : [`${id} >= ${values.add(from)}::uuid`]),
    ...(before === null ? [] : [`${id} < ${values.add(before)}::uuid`]),
  ];
}

function valueConditions(
  { callout, actions: ofWay }: CalloutSource,
  filter: CalloutFilter,
  values: SqlValues,
): string[] {
  const { fromSequence, toSequence, recordId, actions, kinds, isFailing } = filter;
  const conditions: string[] = [];
  if (isFailing === true) conditions.push(`${callout}.attempts_made > ${callout}.attempts_before`);
  // Tests have no number of their own.
  if (fromSequence !== null || toSequence !== null) conditions.push(`${callout}.kind <> 'test'`);
  if (fromSequence !== null) conditions.push(`${callout}.sequence_number >= ${values.add(fromSequence)}`);
  if (toSequence !== null) conditions.push(`${callout}.sequence_number <= ${values.add(toSequence)}`);
  // The record id of a deactivation call is the webhook's.
  if (recordId !== null)
    conditions.push(`${callout}.record_id = ${values.add(recordId)} AND ${callout}.kind = 'event'`);
  if (actions !== null && ofWay === undefined)
    conditions.push(`${callout}.action = ANY(${values.add(actions)}::text[])`);
  if (kinds !== null) conditions.push(`${callout}.kind = ANY(${values.add(kinds)}::text[])`);
  // All tests have the same number, by which there is an index.
  if (kinds?.every((kind) => kind === 'test') === true) conditions.push(`${callout}.sequence_number = 0`);
  return conditions;
}

/** The bounds of a period: ids contain the time. */
export function boundsOfPeriod({ since, until }: Pick<CalloutFilter, 'since' | 'until'>): IdBounds {
  return { from: since && lowestId(since), before: until && lowestId(until) };
}

/** The closer bounds of two. */
export function closerBounds(one: IdBounds, other: IdBounds): IdBounds {
  const later = (a: string | null, b: string | null) => (a === null || (b !== null && b > a) ? b : a);
  const earlier = (a: string | null, b: string | null) => (a === null || (b !== null && b < a) ? b : a);
  return { from: later(one.from, other.from), before: earlier(one.before, other.before) };
}
