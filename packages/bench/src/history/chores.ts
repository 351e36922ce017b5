import { takeLateEvents, webhooksWithDueCallouts } from '@callout/db/claim';
import { deleteLeftovers, dropOldPartitions, historyTables, keptDays } from '@callout/db/cleanup';
import { openDatabase } from '@callout/db/connection';
import { tellOfFailingWebhooks } from '@callout/db/mail';
import { ensurePartitions, missingPartitions } from '@callout/db/schema';
import { rollUpDeliveries } from '@callout/db/statistics';
import { countBacklog, findMissingKeys, readBacklog } from '@callout/db/tenants/operator';
import type { Pool } from 'pg';
import { nowMs } from '../clock.ts';
import { percentiles } from '../report/percentiles.ts';
import { observeBlocks } from './observe-blocks.ts';

/** What one round of it took. */
export interface ChoreResult {
  readonly name: string;
  readonly p50Ms: number;
  /** Blocks that it read; those of other statements at that moment are among them. */
  readonly blocks: number;
}

interface Chore {
  readonly name: string;
  readonly work: (pool: Pool) => Promise<unknown>;
}

const dayMs = 86_400_000;
const minuteMs = 60_000;
const isStopping = () => false;
const monthDays = { callouts: 31, events: 31, errorLogs: 31 };

/** What the processes of an installation do besides their work, by the functions that they do it by. */
const chores: readonly Chore[] = [
  {
    name: 'a round of the sweep',
    work: async (pool) => [await takeLateEvents(pool, 500), await webhooksWithDueCallouts(pool, 0, 100)],
  },
  {
    name: 'the counts of /metrics',
    work: (pool) => Promise.all([countBacklog(pool), findMissingKeys(pool, ['bench'])]),
  },
  {
    name: 'callout status',
    work: async (pool) => [await readBacklog(pool, { mostWebhooks: 5 }), await historyTables(pool)],
  },
  {
    name: 'readiness: missing partitions, days kept',
    work: async (pool) => [await missingPartitions(pool, new Date()), await keptDays(pool, monthDays, new Date())],
  },
  { name: 'partitions, all there', work: (pool) => ensurePartitions(pool, new Date()) },
  {
    name: 'statistics of a minute',
    work: (pool) =>
      rollUpDeliveries(pool, {
        now: new Date(Date.now() + minuteMs),
        latenessMs: 2 * minuteMs,
        keepMinutesMs: 2 * dayMs,
        keepHoursMs: 400 * dayMs,
        isStopping,
      }),
  },
  {
    name: 'failing webhooks',
    work: (pool) =>
      tellOfFailingWebhooks(pool, {
        alertAfterMs: 0,
        deactivateAfter: 1_000_000,
        schedule: { waitsMs: [], jitter: 0 },
      }),
  },
  { name: 'leftovers, none', work: (pool) => deleteLeftovers(pool, { keepDays: 31, now: new Date(), isStopping }) },
  { name: 'retention, nothing to drop', work: (pool) => dropOldPartitions(pool, monthDays, { now: new Date() }) },
];

/** Does each chore some times. */
export async function timeChores(url: string, times: number): Promise<ChoreResult[]> {
  return withPool(url, async (pool) => {
    const results: ChoreResult[] = [];
    for (const chore of chores) results.push(await timed(url, pool, chore, times));
    return results;
  });
}

/** Drops the oldest day of a history, as the hourly retention does. */
export async function timeRetention(url: string, oldest: Date): Promise<ChoreResult & { readonly dropped: number }> {
  return withPool(url, async (pool) => {
    const now = new Date(oldest.getTime() + 31 * dayMs);
    let dropped = 0;
    const name = 'retention, dropping a day';
    const work = async (pool: Pool) => {
      const retention = { callouts: 30, events: 30, errorLogs: 30 };
      dropped = (await dropOldPartitions(pool, retention, { now }))?.dropped.length ?? 0;
    };
    return { ...(await timed(url, pool, { name, work }, 1)), dropped };
  });
}

async function timed(url: string, pool: Pool, { name, work }: Chore, times: number): Promise<ChoreResult> {
  const tookMs: number[] = [];
  const blocks = observeBlocks(url);
  const before = await blocks();
  for (let time = 0; time < times; time += 1) {
    const startedAtMs = nowMs();
    await work(pool);
    tookMs.push(nowMs() - startedAtMs);
  }
  const [p50Ms = Number.NaN] = percentiles(tookMs, [50]);
  return { name, p50Ms, blocks: ((await blocks()).read - before.read) / times };
}

async function withPool<T>(url: string, use: (pool: Pool) => Promise<T>): Promise<T> {
  const database = openDatabase({ url, poolSize: 2, applicationName: 'callout-bench', onError: () => undefined });
  try {
    return await use(database.pool);
  } finally {
    await database.close();
  }
}
