import type { Pool } from 'pg';
import type { Client, Transaction } from '../connection/database.ts';
import { columns, statement, type Statement } from '../connection/statement.ts';
import type { ClaimedCallout } from './claimed.ts';

/** A tenant's callouts of one entity share a threshold. */
export interface ThresholdGroup {
  tenantId: number;
  entityType: string;
}

/** A leased callout whose attempt would be its first. */
export interface Contender extends ThresholdGroup {
  id: string;
  webhookKey: number;
  leaseOwner: string;
  /** First attempts of its group in any 3,600 s. */
  limit: number;
}

/** What is older than the hour, as SQL: counted by the second, the hour is 3,600 seconds with the present one. */
export const isOver = "second <= date_trunc('second', now()) - interval '3600 seconds'";

// One statement, since every claim runs it: it drops what is older than the hour, takes from what is left, and counts what
// it took. While callouts of the group are held nothing is granted, for a new one must not overtake them.
// The windows of all groups are locked first of all and in their order: whoever deletes what is older holds its window.
const takeFromWindows = `asked AS MATERIALIZED (
     SELECT a.* FROM unnest($1::int[], $2::text[], $3::int[], $4::int[]) AS a (tenant_id, entity_type, wanted, most)
     ORDER BY a.tenant_id, a.entity_type
   ), locked AS MATERIALIZED (
     SELECT asked.*, w.used, w.episode_started_at FROM asked, LATERAL (
       SELECT used, episode_started_at FROM threshold_windows
       WHERE (tenant_id, entity_type) = (asked.tenant_id, asked.entity_type) FOR UPDATE
     ) AS w
   ), past AS MATERIALIZED (
     SELECT locked.tenant_id, locked.entity_type, u.second FROM locked, LATERAL (
       SELECT second FROM threshold_use
       WHERE (tenant_id, entity_type) = (locked.tenant_id, locked.entity_type) AND ${isOver} OFFSET 0
     ) AS u
   ), dropped AS (
     DELETE FROM threshold_use u USING past
     WHERE (u.tenant_id, u.entity_type, u.second) = (past.tenant_id, past.entity_type, past.second)
     RETURNING u.tenant_id, u.entity_type, u.used
   ), leaving AS MATERIALIZED (
     SELECT tenant_id, entity_type, sum(used)::int AS used FROM dropped GROUP BY tenant_id, entity_type
   ), given AS MATERIALIZED (
     SELECT left_over.*, CASE WHEN episode_started_at IS NOT NULL THEN 0
       ELSE greatest(0, least(wanted, most - used)) END AS granted
     FROM (SELECT tenant_id, entity_type, wanted, most, episode_started_at, locked.used - coalesce((
             SELECT l.used FROM leaving l
             WHERE (l.tenant_id, l.entity_type) = (locked.tenant_id, locked.entity_type)), 0) AS used
           FROM locked) AS left_over
   ), granting AS (
     UPDATE threshold_windows w SET used = given.used + given.granted FROM given
     WHERE (w.tenant_id, w.entity_type) = (given.tenant_id, given.entity_type)
     RETURNING w.tenant_id, w.entity_type, given.granted
   ), counted AS (
     INSERT INTO threshold_use AS u (tenant_id, entity_type, second, used)
     SELECT tenant_id, entity_type, date_trunc('second', now()), granted FROM granting WHERE granted > 0
     ON CONFLICT (tenant_id, entity_type, second) DO UPDATE SET used = u.used + EXCLUDED.used
   )
   SELECT tenant_id AS "tenantId", entity_type AS "entityType", granted, now() AS "countedAt" FROM granting`;

type Granted = ThresholdGroup & { granted: number; countedAt: Date };

// Not waited for on disk: what a server loses by crashing is part of a second's count.
const take = statement<Granted>(
  'threshold_take',
  `WITH unhurried AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)), ${takeFromWindows}, (SELECT 1 FROM unhurried) AS unhurried`,
);

// As part of a transaction that must be on disk.
const takeInTransaction = statement<Granted>('threshold_take_in_transaction', `WITH ${takeFromWindows}`);

const openWindows = statement(
  'threshold_open_windows',
  `INSERT INTO threshold_windows (tenant_id, entity_type)
   SELECT * FROM unnest($1::int[], $2::text[]) AS g (tenant_id, entity_type) ORDER BY 1, 2 ON CONFLICT DO NOTHING`,
);

export interface TakenAttempts {
  /** Those that may not be sent now: the newest of their group. */
  held: Contender[];
  /** Of the others, by their ids, when they were counted. */
  countedAt: ReadonlyMap<string, Date>;
}

/** Counts first attempts, as far as their thresholds allow. */
export async function takeFirstAttempts(pool: Pool, contenders: readonly Contender[]): Promise<TakenAttempts> {
  const taken = await takeFrom(take, pool, contenders);
  if (taken.uncounted.length === 0) return taken;
  const groups = [...groupContenders(taken.uncounted).values()].map(([first]) => first);
  await openWindows(pool, columns(groups, ['tenantId', 'entityType']));
  const late = await takeFrom(take, pool, taken.uncounted);
  return { held: [...taken.held, ...late.held], countedAt: new Map([...taken.countedAt, ...late.countedAt]) };
}

/**
 * The same as one statement of a transaction that leases the callouts, too: what it counts is counted when that commits.
 * `uncounted`: their tenant has had no callout of their entity so far; they are to be counted by `takeFirstAttempts`.
 */
export function takeFirstAttemptsIn(
  transaction: Transaction,
  contenders: readonly Contender[],
): Promise<TakenAttempts & { uncounted: Contender[] }> {
  return takeFrom(takeInTransaction, transaction, contenders);
}

async function takeFrom(
  taking: Statement<Granted>,
  client: Client,
  contenders: readonly Contender[],
): Promise<TakenAttempts & { uncounted: Contender[] }> {
  const groups = groupContenders(contenders);
  const asked = [...groups.values()].map((members) => {
    const { tenantId, entityType, limit } = members[0];
    return { tenantId, entityType, wanted: members.length, limit };
  });
  const granted = await taking(client, columns(asked, ['tenantId', 'entityType', 'wanted', 'limit']));
  const held: Contender[] = [];
  const takenAt = new Map<string, Date>();
  for (const { granted: count, countedAt, ...group } of granted) {
    const members = groups.get(nameOf(group)) ?? [];
    groups.delete(nameOf(group));
    const inTurn = members.length === count ? members : members.toSorted(olderFirst);
    for (const { id } of inTurn.slice(0, count)) takenAt.set(id, countedAt);
    held.push(...inTurn.slice(count));
  }
  return { held, countedAt: takenAt, uncounted: [...groups.values()].flat() };
}

// Under the lock of the window, like everybody who counts. What is older than the hour has been given back already.
const giveBack = statement(
  'threshold_give_back',
  `WITH locked AS MATERIALIZED (
     SELECT tenant_id, entity_type FROM threshold_windows WHERE (tenant_id, entity_type) = ($1, $2) FOR UPDATE
   ), less AS (
     UPDATE threshold_use u SET used = u.used - 1 FROM locked
     WHERE (u.tenant_id, u.entity_type, u.second) = (locked.tenant_id, locked.entity_type, date_trunc('second', $3::timestamptz))
     RETURNING u.tenant_id, u.entity_type
   )
   UPDATE threshold_windows w SET used = w.used - 1 FROM less
   WHERE (w.tenant_id, w.entity_type) = (less.tenant_id, less.entity_type)`,
);

/** A first attempt that was counted was not made after all: it is counted again when it is. */
export async function giveBackFirstAttempt(
  pool: Pool,
  { tenantId, entityType, countedAt }: Pick<ClaimedCallout, 'tenantId' | 'entityType' | 'countedAt'>,
): Promise<void> {
  if (countedAt !== null) await giveBack(pool, [tenantId, entityType, countedAt]);
}

function nameOf({ tenantId, entityType }: ThresholdGroup): string {
  return `${tenantId}/${entityType}`;
}

/** Those of a tenant and entity together, in the order in which they come. */
export function groupContenders(contenders: readonly Contender[]): Map<string, [Contender, ...Contender[]]> {
  const groups = new Map<string, [Contender, ...Contender[]]>();
  for (const contender of contenders) {
    const members = groups.get(nameOf(contender));
    if (members) members.push(contender);
    else groups.set(nameOf(contender), [contender]);
  }
  return groups;
}

/** Ids are made in the order of time. */
function olderFirst(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}
