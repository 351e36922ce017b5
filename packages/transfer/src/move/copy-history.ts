import type { PoolClient } from 'pg';
import { type Move, shapeOf, storeCopies } from './move-context.ts';
import { readRows } from './text-rows.ts';
import { calloutsPerBatch, idsPerRead, lowestId, missingOf, nextOf, sinceId, type Step } from './step.ts';

/** Verdicts never change. An event without one is read again. */
export async function copyVerdicts(move: Move, client: PoolClient, eventIds: readonly string[]): Promise<number> {
  const shape = await shapeOf(move, 'event_matches');
  const rows = await readRows(move.source.pool, shape, 't.event_id = ANY($1::uuid[])', [eventIds]);
  const written = await storeCopies(move, client, 'event_matches', rows, 'nothing');
  const matched = new Set(rows.map((row) => row['event_id']));
  await noteOpen(move, client, 'event', eventIds, (id) => !matched.has(id));
  return written;
}

/** Callouts with their bodies and attempts; of these only the callout ever changes. */
export async function copyCallouts(move: Move, client: PoolClient, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const read = async (table: string, condition: string) =>
    readRows(move.source.pool, await shapeOf(move, table), condition, [ids]);
  // The callout first: a later attempt marks it to be copied again.
  const callouts = await read('callouts', 't.id = ANY($1::uuid[])');
  const bodies = await read('callout_bodies', 't.callout_id = ANY($1::uuid[])');
  const attempts = await read('attempts', 't.callout_id = ANY($1::uuid[])');
  const written =
    (await storeCopies(move, client, 'callouts', callouts, 'update')) +
    (await storeCopies(move, client, 'callout_bodies', bodies, 'nothing')) +
    (await storeCopies(move, client, 'attempts', attempts, 'nothing'));
  const open = new Set(callouts.filter((row) => row['state'] === 'open').map((row) => row['id']));
  await noteOpen(move, client, 'callout', ids, (id) => open.has(id));
  return written;
}

/** Records the rows to copy again in a later round, and deletes the others. */
async function noteOpen(
  move: Move,
  client: PoolClient,
  kind: 'callout' | 'event',
  ids: readonly string[],
  isOpen: (id: string) => boolean,
): Promise<void> {
  const over = ids.filter((id) => !isOpen(id));
  await client.query('DELETE FROM tenant_move_open WHERE (move_id, kind) = ($1, $2) AND id = ANY($3::uuid[])', [
    move.id,
    kind,
    over,
  ]);
  await client.query(
    `INSERT INTO tenant_move_open (move_id, kind, id, tenant_id) SELECT $1, $2, unnest($3::uuid[]), $4
     ON CONFLICT DO NOTHING`,
    [move.id, kind, ids.filter(isOpen), move.targetTenantId],
  );
}

/** Redelivered callouts are open once more, or have ended once more, and every attempt is one more row. */
export function triedSince(): Step {
  let tried: string[] | undefined;
  return {
    name: 'tried since',
    async next(move, round, after) {
      if (round.since === null) return null;
      tried ??= await findTried(move, sinceId(round));
      const ids = nextOf(tried, (id) => id > after, calloutsPerBatch);
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
  // Callouts that have ended once more, perhaps without an attempt.
  const { rows: reopened } = await move.source.pool.query<{ id: string }>(
    `SELECT id::text FROM tenant_move_open WHERE move_id = $1 AND kind = 'reopened'`,
    [move.id],
  );
  for (const { id } of reopened) callouts.add(id);
  return [...callouts].toSorted();
}
