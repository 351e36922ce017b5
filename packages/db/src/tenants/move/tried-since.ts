import { copyCallouts } from './copy-history.ts';
import type { Move } from './move-context.ts';
import { calloutsPerBatch, idsPerRead, lowestId, missingOf, nextOf, sinceId, type Step } from './step.ts';

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
  // Those that have ended once more, perhaps without an attempt.
  const { rows: reopened } = await move.source.pool.query<{ id: string }>(
    `SELECT id::text FROM tenant_move_open WHERE move_id = $1 AND kind = 'reopened'`,
    [move.id],
  );
  for (const { id } of reopened) callouts.add(id);
  return [...callouts].toSorted();
}
