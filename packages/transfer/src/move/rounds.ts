import { dayMs } from '@callout/database/schema/partitions';
import { goOn, inTarget, type Move } from './move-context.ts';
import { stepsOf } from './round-steps.ts';
import type { Round, Step } from './step.ts';

/**
 * Ids are assigned some time before they are committed, by the clocks of several machines. So each round also reads up
 * to ten minutes further back than necessary, and copies missing rows.
 */
const marginMs = 600_000;

/**
 * Copies the tenant's history and records: all in the first round, and then rows that were made or have ended since the
 * round before. An interrupted round goes on where it was.
 * @param isLast nothing changes any more: it copies everything.
 * @returns its duration in ms.
 */
export async function copyRound(move: Move, isLast: boolean): Promise<number> {
  const { rows } = await move.target.pool.query<{
    horizon: Date | null;
    beganAt: Date | null;
    round: number;
    step: string | null;
    afterKey: string | null;
  }>(
    `SELECT horizon, round_began_at AS "beganAt", round, step, after_key AS "afterKey" FROM tenant_moves WHERE id = $1`,
    [move.id],
  );
  const [kept] = rows;
  if (kept === undefined) throw new Error('the move is not known where the tenant goes');
  const startedMs = performance.now();
  const beganAt = kept.beganAt ?? new Date();
  await move.target.pool.query('UPDATE tenant_moves SET round_began_at = $2 WHERE id = $1', [move.id, beganAt]);
  const round: Round = {
    since: kept.horizon === null ? null : new Date(kept.horizon.getTime() - marginMs),
    until: isLast ? new Date(Date.now() + dayMs) : beganAt,
  };
  const steps = stepsOf();
  const first = Math.max(
    0,
    steps.findIndex(({ name }) => name === kept.step),
  );
  for (const [at, step] of steps.slice(first).entries()) {
    await runStep(move, round, step, at === 0 ? (kept.afterKey ?? '') : '', kept.round + 1);
  }
  await move.target.pool.query(
    `UPDATE tenant_moves SET horizon = $2, round = round + 1, round_began_at = NULL, step = NULL, after_key = NULL
     WHERE id = $1`,
    [move.id, beganAt],
  );
  return performance.now() - startedMs;
}

async function runStep(move: Move, round: Round, step: Step, begin: string, nth: number): Promise<void> {
  let after = begin;
  let copied = 0;
  for (;;) {
    goOn(move);
    const batch = await step.next(move, round, after);
    if (batch === null) break;
    copied += await inTarget(move, async (client) => {
      const written = await batch.store(client);
      await client.query('UPDATE tenant_moves SET step = $2, after_key = $3, copied = copied + $4 WHERE id = $1', [
        move.id,
        step.name,
        batch.after,
        written,
      ]);
      return written;
    });
    after = batch.after;
    move.onStep(`round ${nth}: ${step.name}, ${copied} rows`);
  }
}
