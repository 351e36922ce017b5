import type { PoolClient } from 'pg';
import { copyCallouts, copyVerdicts, triedSince } from './copy-history.ts';
import { shapeOf, storeCopies } from './move-context.ts';
import { recordsStep } from './records-step.ts';
import {
  batchOf,
  calloutsPerBatch,
  idsPerRead,
  lowestId,
  missingOf,
  rowsPerBatch,
  sinceId,
  type Step,
  untilId,
} from './step.ts';
import { readRows } from './text-rows.ts';

/** @returns the steps of one run: two of them keep their results. */
export const stepsOf = (): readonly Step[] => [
  recordsStep(),
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
      // The same webhook first, then the next one with any.
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
    // Events and callouts that were pending or open when they were copied.
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

/** After the last copied row, where more are missing; else after all rows that were read. */
function afterOf(missing: readonly string[], ids: readonly string[], found: readonly { id: string }[]): string {
  const last = missing.length > ids.length ? ids.at(-1) : found.at(-1)?.id;
  if (last === undefined) throw new Error('a batch of nothing');
  return last;
}
