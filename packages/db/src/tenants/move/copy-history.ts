import type { PoolClient } from 'pg';
import { type Move, shapeOf, storeCopies } from './move-context.ts';
import { readRows } from './text-rows.ts';

/** Verdicts never change. An event without is asked for again. */
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
  // First the callout: an attempt that comes after it makes it one that is copied again.
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

/** Notes what is copied again in a later round, and forgets what is not. */
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
