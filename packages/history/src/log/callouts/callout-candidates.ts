import type { SqlValues } from '../../sql-values.ts';
import type { CalloutFilter, CalloutState } from '@callout/domain/callout/callout-filter';
import { isOpen, throughFailures, throughOpen, wayTo, type CalloutSource } from './callout-sources.ts';
import { lowestId } from '@callout/database/schema/ids';
import { failedReasonSql, lastFailedReasonSql } from '@callout/pipeline/repair/failed-reason-sql';

/** A tenant's webhooks, deleted ones included; null: whatever they are. */
export interface TenantWebhooks {
  readonly entityType: string | null;
  readonly guids: readonly string[] | null;
}

/** The scope of callouts of several webhooks of a tenant. */
export interface TenantScope {
  readonly tenantId: number;
  readonly webhooks: TenantWebhooks;
}

/** The scope of callouts: of one webhook, or of a tenant's matching webhooks. */
export interface CalloutScope {
  readonly tenantId: number;
  readonly webhooks: { readonly key: number } | TenantWebhooks;
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
  /** The webhooks that have some: key, how many, and their first and last number. */
  readonly numbers: () => string;
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
  const counted = isDistinct ? `count(DISTINCT ${way.id})` : 'count(*)';
  const idsOf = (further: readonly string[]) =>
    `SELECT ${isDistinct ? 'DISTINCT ' : ''}${way.id} AS id FROM ${way.from} WHERE ${[...conditions, ...further].join(' AND ')}`;
  return {
    id: way.id,
    select: (further, tail) => {
      // A single webhook is named, and not looked up: then callouts come in order, without sorting.
      const ids = idsOf(further);
      return `SELECT top.id FROM (${webhooks}) w, LATERAL (${ids} ${tail}) top`;
    },
    count: () => `SELECT coalesce(sum(n.count), 0)::bigint AS count FROM (${webhooks}) w,
      LATERAL (SELECT ${counted} AS count FROM ${way.from} WHERE ${conditions.join(' AND ')}) n`,
    numbers: () => {
      const number = `${way.callout}.sequence_number`;
      return `SELECT w.key, sum(n.count)::bigint AS count, min(n.first) AS first, max(n.last) AS last FROM (${webhooks}) w,
        LATERAL (SELECT ${counted} AS count, min(${number}) AS first, max(${number}) AS last
          FROM ${way.from} WHERE ${conditions.join(' AND ')}) n
        WHERE n.count > 0 GROUP BY w.key`;
    },
  };
}

/** Each webhook, with each action that is looked for one by one. */
function webhooksOf({ tenantId, webhooks }: CalloutScope, { actions }: CalloutSource, values: SqlValues): string {
  // A single webhook is a plain condition, not unnested: its callouts come in their order then.
  const isOne = actions?.length === 1;
  const each = actions === undefined || isOne ? '' : `unnest(${values.add(actions)}::text[]) AS looked (action)`;
  const action = actions === undefined ? '' : `, ${isOne ? `${values.add(actions[0])}::text AS ` : 'looked.'}action`;
  if ('key' in webhooks) {
    return `SELECT ${values.add(webhooks.key)}::bigint AS key${action}${each === '' ? '' : ` FROM ${each}`}`;
  }
  const from = each === '' ? 'webhooks' : `webhooks, ${each}`;
  return `SELECT key${action} FROM ${from} WHERE ${webhookConditions({ tenantId, webhooks }, values)}`;
}

/** The keys of the webhooks of a scope, as SQL. */
export function webhooksIn(scope: TenantScope, values: SqlValues): string {
  return `SELECT key FROM webhooks WHERE ${webhookConditions(scope, values)}`;
}

function webhookConditions({ tenantId, webhooks: { entityType, guids } }: TenantScope, values: SqlValues): string {
  const conditions = [`tenant_id = ${values.add(tenantId)}`];
  if (entityType !== null) conditions.push(`entity_type = ${values.add(entityType)}`);
  if (guids !== null) conditions.push(`guid = ANY(${values.add(guids)}::uuid[])`);
  return conditions.join(' AND ');
}

/** An open callout has a state in its row of work, and history calls the callout open. */
function stateConditions(way: CalloutSource, states: readonly CalloutState[] | null, values: SqlValues): string[] {
  if (states === null || way === throughFailures) return [];
  if (way === throughOpen) return [`c.state = ANY(${values.add(states)}::text[])`];
  const ended = states.filter((state) => !isOpen(state));
  const openStates = states.filter(isOpen);
  const test = `c.state = ANY(${values.add(ended)}::text[])`;
  if (openStates.length === 0) return [test];
  const isOneOfThem = `EXISTS (SELECT FROM open_callouts o
    WHERE o.callout_id = c.id AND o.state = ANY(${values.add(openStates)}::text[]))`;
  return [`(${test} OR (c.state = 'open' AND ${isOneOfThem}))`];
}

function boundConditions({ id }: CalloutSource, { from, before }: IdBounds, values: SqlValues): string[] {
  return [
    ...(from === null ? [] : [`${id} >= ${values.add(from)}::uuid`]),
    ...(before === null ? [] : [`${id} < ${values.add(before)}::uuid`]),
  ];
}

function valueConditions(way: CalloutSource, filter: CalloutFilter, values: SqlValues): string[] {
  const { callout, actions: ofWay } = way;
  const { fromSequence, toSequence, recordId, actions, kinds, isFailing, ids = null } = filter;
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
  if (ids !== null) conditions.push(`${way.id} = ANY(${values.add(ids)}::uuid[])`);
  // All tests have the same number, by which there is an index.
  if (kinds?.every((kind) => kind === 'test') === true) conditions.push(`${callout}.sequence_number = 0`);
  return [...conditions, ...reasonConditions(way, filter, values)];
}

/** A callout that was redelivered may have failed more than once: the last time counts. */
function reasonConditions(way: CalloutSource, { reasons = null }: CalloutFilter, values: SqlValues): string[] {
  if (reasons === null) return [];
  const anyReason = `ANY(${values.add(reasons)}::text[])`;
  const ofAttempt = way === throughFailures ? [`${failedReasonSql('a')} = ${anyReason}`] : [];
  return [...ofAttempt, `${lastFailedReasonSql(way.id)} = ${anyReason}`];
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
