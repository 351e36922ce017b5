import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@callout/database/connection/database';

/** So few that callouts are held in each hour of the drill. */
const THRESHOLD = 40;
const HOUR_MS = 2_000;
/** For so many hours there is a threshold, and then for as many there is none. */
const HOURS_OF_THRESHOLD = 3;

/** Lets what is held go out, as an operator does. */
export async function liftThreshold({ prisma }: Pick<Database, 'prisma'>, id: number): Promise<void> {
  await prisma.tenant.update({ where: { id }, data: { calloutThreshold: 0 } });
}

/**
 * Lets an hour be over every few seconds: first attempts no longer count. A threshold comes and goes. PostgreSQL may be away.
 * @param tenantId of the tenant whose callouts are held.
 * @returns the most callouts that were held at a time.
 */
export async function passHours(database: Database, tenantId: number, isOver: () => boolean): Promise<number> {
  let mostHeld = 0;
  for (let nth = 1; !isOver(); nth += 1) {
    const held = await ageAttempts(database, nth).catch(() => 0);
    mostHeld = Math.max(mostHeld, held);
    if (nth % HOURS_OF_THRESHOLD === 1) {
      const calloutThreshold = nth % (2 * HOURS_OF_THRESHOLD) === 1 ? THRESHOLD : 0;
      await database.prisma.tenant
        .update({ where: { id: tenantId }, data: { calloutThreshold } })
        .catch(() => undefined);
    }
    await sleep(HOUR_MS);
  }
  return mostHeld;
}

/**
 * Makes the counted attempts older by an hour. By some seconds more each time: of one second there is one row.
 * @returns how many callouts were held before.
 */
async function ageAttempts({ transaction, pool }: Pick<Database, 'transaction' | 'pool'>, nth: number) {
  const { rowCount: held } = await pool.query("SELECT FROM open_callouts WHERE state = 'held'");
  const hour = 'make_interval(hours => 1, secs => $1)';
  await transaction(null, async ({ sets }) => {
    await sets.query(`UPDATE threshold_windows SET second = second - ${hour}`, [nth]);
    await sets.query(`UPDATE threshold_use SET second = second - ${hour}`, [nth]);
  });
  return held ?? 0;
}
