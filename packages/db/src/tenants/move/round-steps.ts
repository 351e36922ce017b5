import type { PoolClient } from 'pg';
import { lowestIdAt } from '../../schema/ids.ts';
import { copyCallouts, copyVerdicts } from './copy-history.ts';
import { type Move, shapeOf, storeCopies } from './move-context.ts';
import { readRows, type TextRow } from './text-rows.ts';

/** What a round of copying is about. */
export interface Round {
  /** Ids from here on, of all that was made since an earlier round began; null: all. */
  readonly since: Date | null;
  /** What is made later is for the next round. */
  readonly until: Date;
}

/** Some rows, and the key after which the next ones come. */
interface Batch {
  /** Stores them, in the transaction that also stores `after`. @returns how many rows were written. */
  readonly store: (client: PoolClient) => Promise<number>;
  readonly after: string;
}

/** A part of a round: batches in the order of a key, so that a round goes on where it was cut short. */
export interface Step {
  readonly name: string;
  /** Null: there is nothing after that key. */
  next(move: Move, round: Round, after: string): Promise<Batch | null>;
}

const rowsPerBatch = 500;
/** Each with its attempts, which may hold 64 KiB of an answer. */
const calloutsPerBatch = 200;
const idsPerRead = 5_000;

const lowestId = lowestIdAt(new Date(0));
const sinceId = ({ since }: Round) => lowestIdAt(since ?? new Date(0));
const untilId = ({ until }: Round) => lowestIdAt(until);

/** @returns those of one run: the last one keeps what it has found. */
export const stepsOf = (): readonly Step[] => [
  {
    name: 'records',
    async next(move, round, after) {
      const [entity = '', id = '0'] = after.split('|');
      const changed = `(t.entity_type, t.id) IN (
        SELECT e.entity_type, e.record_id FROM events e WHERE e.tenant_id = $1 AND e.id >= $5)`;
      const rows = await readRows(
        move.source.pool,
        await shapeOf(move, 'records'),
        `t.tenant_id = $1 AND (t.entity_type, t.id) > ($2, $3::bigint) AND ${round.since === null ? '$5::uuid IS NOT NULL' : changed}
         ORDER BY t.entity_type, t.id LIMIT $4`,
        [move.sourceTenantId, entity, id, rowsPerBatch, sinceId(round)],
      );
      return batchOf(move, 'records', rows, 'update', (row) => `${row['entity_type']}|${row['id']}`);
    },
  },
  {
    name: 'event_keys',
    async next(move, round, after) {
      const rows = await readRows(
        move.source.pool,
        await shapeOf(move, 'event_keys'),
        `t.tenant_id = $1 AND t.event_key > $2 AND t.accepted_at >= $3 ORDER BY t.event_key LIMIT $4`,
        [move.sourceTenantId, after, round.since ?? new Date(0), rowsPerBatch],
      );
      return batchOf(move, 'event_keys', rows, 'update', (row) => String(row['event_key']));
    },
  },
  {
    name: 'events',
    async next(move, round, after) {
      const { rows: found } = await move.source.pool.query<{ id: string }>(
        `SELECT id::text FROM events t WHERE t.tenant_id = $1 AND t.id >= $2 AND t.id > $3 AND t.id < $4
         ORDER BY t.id LIMIT $5`,
        [move.sourceTenantId, sinceId(round), after === '' ? lowestId : after, untilId(round), idsPerRead],
      );
      if (found.length === 0) return null;
      const missing = await missingOf(
        move,
        'events',
        found.map(({ id }) => id),
      );
      const ids = missing.slice(0, rowsPerBatch);
      const rows = await readRows(move.source.pool, await shapeOf(move, 'events'), 't.id = ANY($1::uuid[])', [ids]);
      const store = async (client: PoolClient) =>
        (await storeCopies(move, client, 'events', rows, 'nothing')) + (await copyVerdicts(move, client, ids));
      return { store, after: afterOf(missing, ids, found) };
    },
  },
  {
    name: 'callouts',
    async next(move, round, after) {
      const [afterKey = '0', afterId = lowestId] = after === '' ? [] : after.split('|');
      // That webhook first, then the next one that has any.
      const { rows: webhooks } = await move.source.pool.query<{ key: string }>(
        'SELECT key::text FROM webhooks WHERE tenant_id = $1 AND key >= $2 ORDER BY webhooks.key',
        [move.sourceTenantId, afterKey],
      );
      for (const { key } of webhooks) {
        const { rows: found } = await move.source.pool.query<{ id: string }>(
          `SELECT id::text FROM callouts t WHERE t.webhook_key = $1 AND t.id >= $2 AND t.id > $3 AND t.id < $4
           ORDER BY t.id LIMIT $5`,
          [key, sinceId(round), key === afterKey ? afterId : lowestId, untilId(round), idsPerRead],
        );
        if (found.length === 0) continue;
        const missing = await missingOf(
          move,
          'callouts',
          found.map(({ id }) => id),
        );
        const ids = missing.slice(0, calloutsPerBatch);
        return { store: (client) => copyCallouts(move, client, ids), after: `${key}|${afterOf(missing, ids, found)}` };
      }
      return null;
    },
  },
  {
    name: 'webhook_changes',
    async next(move, round, after) {
      const rows = await readRows(
        move.source.pool,
        await shapeOf(move, 'webhook_changes'),
        `t.webhook_key = ANY(ARRAY(SELECT key FROM webhooks WHERE tenant_id = $1)) AND t.id >= $2 AND t.id > $3
         ORDER BY t.id LIMIT $4`,
        [move.sourceTenantId, sinceId(round), after === '' ? lowestId : after, rowsPerBatch],
      );
      return batchOf(move, 'webhook_changes', rows, 'nothing', (row) => String(row['id']));
    },
  },
  {
    // What was open, or not matched, when it was copied.
    name: 'ended since',
    async next(move, _round, after) {
      const { rows } = await move.target.pool.query<{ kind: string; id: string }>(
        `SELECT kind, id::text FROM tenant_move_open WHERE move_id = $1 AND kind || '|' || id::text > $2
         ORDER BY kind || '|' || id::text LIMIT $3`,
        [move.id, after, calloutsPerBatch],
      );
      const last = rows.at(-1);
      if (last === undefined) return null;
      const of = (kind: string) => rows.filter((row) => row.kind === kind).map(({ id }) => id);
      const { rows: ended } = await move.source.pool.query<{ id: string }>(
        `SELECT id::text FROM callouts c WHERE c.id = ANY($1::uuid[]) AND c.state <> 'open'`,
        [of('callout')],
      );
      return {
        store: async (client) =>
          (await copyCallouts(
            move,
            client,
            ended.map(({ id }) => id),
          )) + (await copyVerdicts(move, client, of('event'))),
        after: `${last.kind}|${last.id}`,
      };
    },
  },
  triedSince(),
];

/** Redelivered callouts are open once more, or have ended once more, and every attempt is one more row. */
function triedSince(): Step {
  let tried: string[] | undefined;
  return {
    name: 'tried since',
    async next(move, round, after) {
      if (round.since === null) return null;
      tried ??= await findTried(move, sinceId(round));
      const ids = tried.filter((id) => id > after).slice(0, calloutsPerBatch);
      const last = ids.at(-1);
      return last === undefined ? null : { store: (client) => copyCallouts(move, client, ids), after: last };
    },
  };
}

/** Callouts with attempts that were not copied, and those that were redelivered since the move began; sorted. */
async function findTried(move: Move, since: string): Promise<string[]> {
  const callouts = new Set<string>();
  for (let after = lowestId; ;) {
    const { rows } = await move.source.pool.query<{ id: string; calloutId: string }>(
      `SELECT id::text, callout_id::text AS "calloutId" FROM attempts a
       WHERE a.id >= $2 AND a.id > $3 AND a.tenant_id = $1 ORDER BY a.id LIMIT $4`,
      [move.sourceTenantId, since, after, idsPerRead],
    );
    const last = rows.at(-1);
    if (last === undefined) break;
    const missing = new Set(
      await missingOf(
        move,
        'attempts',
        rows.map(({ id }) => id),
      ),
    );
    for (const { id, calloutId } of rows) if (missing.has(id)) callouts.add(calloutId);
    after = last.id;
  }
  const { rows } = await move.source.pool.query<{ id: string }>(
    `SELECT callout_id::text AS id FROM open_callouts WHERE is_redelivery
       AND webhook_key = ANY(ARRAY(SELECT key FROM webhooks WHERE tenant_id = $1))`,
    [move.sourceTenantId],
  );
  for (const { id } of rows) callouts.add(id);
  // Those that have ended once more, perhaps without an attempt.
  const { rows: reopened } = await move.source.pool.query<{ id: string }>(
    `SELECT id::text FROM tenant_move_open WHERE move_id = $1 AND kind = 'reopened'`,
    [move.id],
  );
  for (const { id } of reopened) callouts.add(id);
  return [...callouts].toSorted();
}

/** Which of these rows of history are not in the target yet, in their order. */
async function missingOf(move: Move, table: 'events' | 'callouts' | 'attempts', ids: string[]): Promise<string[]> {
  const { rows } = await move.target.pool.query<{ id: string }>(
    `SELECT id::text FROM ${table} WHERE id = ANY($1::uuid[])`,
    [ids],
  );
  const there = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !there.has(id));
}

/** After the last one that is copied, where more are missing; else after all that were looked at. */
function afterOf(missing: readonly string[], ids: readonly string[], found: readonly { id: string }[]): string {
  const last = missing.length > ids.length ? ids.at(-1) : found.at(-1)?.id;
  if (last === undefined) throw new Error('a batch of nothing');
  return last;
}

function batchOf(
  move: Move,
  table: string,
  rows: readonly TextRow[],
  onConflict: 'nothing' | 'update',
  keyOf: (row: TextRow) => string,
): Batch | null {
  const last = rows.at(-1);
  if (last === undefined) return null;
  return { store: (client) => storeCopies(move, client, table, rows, onConflict), after: keyOf(last) };
}
