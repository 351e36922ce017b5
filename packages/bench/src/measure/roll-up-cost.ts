import { rollUpDeliveries } from '@callout/db/statistics';
import { Pool } from 'pg';
import { readTree } from './process-table.ts';

/** What counting attempts for the statistics costs PostgreSQL, measured by itself: in a whole run it cannot be seen. */
export interface RollUpCost {
  readonly attempts: number;
  /** CPU seconds of reading each of them once; undefined where the server runs on another machine. */
  readonly cpuS: number | undefined;
}

/** A minute is counted when it has ended, and again with the two that follow, since results may be stored late. */
export const TIMES_COUNTED = 3;
/** CPU time is known to a hundredth of a second. */
const PASSES = 30;
const minuteMs = 60_000;

/** Counts all attempts of a run again and again, as a worker with the role `sweep` counts those of a minute. */
export async function measureRollUp(url: string): Promise<RollUpCost> {
  const pool = new Pool({ connectionString: url, max: 1, application_name: 'callout-bench' });
  const client = await pool.connect();
  const release = client.release.bind(client);
  // Counting ends its connection, and with it the process whose time is read.
  client.release = () => undefined;
  const lent = { connect: () => Promise.resolve(client), query: client.query.bind(client) } as unknown as Pool;
  try {
    const { rows } = await client.query<{ attempts: number; first: Date; pid: number }>(
      'SELECT count(*)::int AS attempts, min(started_at) AS first, pg_backend_pid() AS pid FROM attempts',
    );
    const [{ attempts, first, pid } = { attempts: 0, first: null, pid: 0 }] = rows;
    if (first === null) return { attempts, cpuS: undefined };
    const begin = new Date(Math.floor(first.getTime() / minuteMs) * minuteMs);
    const rules = {
      now: new Date(Date.now() + minuteMs),
      latenessMs: 24 * 60 * minuteMs,
      keepMinutesMs: 0,
      keepHoursMs: 0,
      isStopping: () => false,
    };
    const before = await readTree(pid);
    for (let pass = 0; pass < PASSES;) {
      await client.query('DELETE FROM delivery_minutes');
      await client.query(
        `INSERT INTO statistics_progress (name, minutes_until, hours_until, seen_until) VALUES ('deliveries', $1, $1, $1)
         ON CONFLICT (name) DO UPDATE SET minutes_until = $1, hours_until = $1, seen_until = $1`,
        [begin],
      );
      // Null: the worker of the run is counting at this moment.
      if ((await rollUpDeliveries(lent, rules)) !== null) pass += 1;
    }
    const after = await readTree(pid);
    return { attempts, cpuS: before && after ? (after.cpuS - before.cpuS) / PASSES : undefined };
  } finally {
    release();
    await pool.end();
  }
}

/** The same in words. @param serviceCpuSPer1000 CPU seconds of API, workers, PostgreSQL and Redis for 1,000 callouts of the run. */
export function rollUpInWords({ attempts, cpuS }: RollUpCost, serviceCpuSPer1000: number | undefined): string {
  if (cpuS === undefined || serviceCpuSPer1000 === undefined || attempts === 0) {
    return 'The server runs on another machine: what its counting costs cannot be measured.';
  }
  const serviceCpuS = serviceCpuSPer1000 / 1000;
  const each = (TIMES_COUNTED * cpuS) / attempts;
  return [
    `Counting ${attempts} attempts once: ${(cpuS * 1000).toFixed(1)} ms of CPU of PostgreSQL, the mean of ${PASSES} times.`,
    `Each is counted ${TIMES_COUNTED} times: ${(each * 1e6).toFixed(1)} µs for each callout.`,
    `API, workers, PostgreSQL and Redis took ${(serviceCpuS * 1e6).toFixed(0)} µs for each: counting adds ${((100 * each) / serviceCpuS).toFixed(2)} %.`,
  ].join('\n');
}
