import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseCatalogue } from '@callout/domain/catalogue/parse-catalogue';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { type Database, openDatabase } from '@callout/database/connection/database';
import { createIngestCommit } from '@callout/pipeline/ingest/ingest';
import { anEvent, insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { createFairEnqueue } from '@callout/queue/priorities';
import { createProducer, type Producer } from '@callout/queue/producer';
import { readCatalogueFiles } from '@callout/runtime/config/catalogue-files';
import { parseConfig } from '@callout/runtime/config/parse';
import { workerConfig } from '@callout/runtime/config/worker';
import { createLogger } from '@callout/runtime/log/logger';
import { createTestDatabase, eventually, testRedis, type TestRedis } from '@callout/testing';
import { testMetrics } from '../fixtures/test-metrics.ts';
import { usualPaces } from '@callout/pipeline/paces';
import { startMatch } from '@callout/pipeline/match/start';

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let redis: TestRedis;
let producer: Producer;
let commit: ReturnType<typeof createIngestCommit>;
/** Priorities of the events that the worker itself enqueued. */
const enqueuedAgain: unknown[] = [];
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ url: testDatabase.url, poolSize: 10, applicationName: 'test', onError: () => undefined });
  commit = createIngestCommit(database.pool);
});

// A queue per test: all events of one can be matched while jobs that name them are still waiting.
beforeEach(async () => {
  redis = await testRedis();
  producer = createProducer({ ...redis, onError: () => undefined });
  await eventually(() => producer.isReady());
});

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await producer.close();
  await redis.cleanUp();
  enqueuedAgain.length = 0;
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** Starts only the role match: no sweep finds what is left over. */
async function start(): Promise<void> {
  const enqueueEvents: Producer['enqueueEvents'] = (eventIds, priorities) => {
    enqueuedAgain.push(priorities);
    producer.enqueueEvents(eventIds, priorities);
  };
  const { steps } = startMatch({
    config: parseConfig(workerConfig, {
      DATABASE_URL: testDatabase.url,
      REDIS_URL: redis.url,
      SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    }),
    paces: usualPaces,
    catalogue: parseCatalogue(await readCatalogueFiles(ownCatalogueDir, ownCatalogueDir)),
    pool: database.pool,
    producer: { ...producer, enqueueEvents },
    redis: { url: redis.url, prefix: redis.prefix, onError: () => undefined },
    clock: { aheadMs: () => 0, isRight: () => true, problems: () => [] },
    log: createLogger({ service: 'worker', level: 'silent' }),
    metrics: testMetrics(),
    hasFastWays: true,
  });
  stops.push(...steps.map((step) => async () => step.stop()));
}

/** Accepts one event for each record. */
async function accept(tenantId: number, recordIds: readonly number[]) {
  return commit([{ tenantId, events: recordIds.map((recordId) => anEvent({ recordId })) }]);
}

const records = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
const allMatched = () =>
  eventually(async () => {
    const { rowCount } = await database.pool.query('SELECT FROM pending_events LIMIT 1');
    return rowCount === 0;
  });

async function matchesOf(tenantId: number): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM event_matches WHERE tenant_id = $1',
    [tenantId],
  );
  return rows[0]?.count ?? 0;
}

/** Waits until both concurrent matches of a worker are under way, and wait for a lock. */
const bothWait = () =>
  eventually(async () => {
    const { rowCount } = await database.pool.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rowCount === 2;
  });

/** Locks pending events, so that none of them can be matched until the returned function is called. */
async function lockEvents(eventIds: readonly string[]): Promise<() => Promise<void>> {
  const holder = await database.pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM pending_events WHERE event_id = ANY($1) FOR UPDATE', [eventIds]);
  return async () => {
    await holder.query('COMMIT');
    holder.release();
  };
}

/**
 * Lets the worker begin to match 1,000 events of a tenant with the priority 9; the test unlocks them, and 1,700 more.
 */
async function beginBulk(tenantId: number) {
  const { eventIds } = await accept(tenantId, records(2_700));
  const inOrder = eventIds.toSorted();
  const unlockFirst = await lockEvents(inOrder.slice(0, 1_000));
  const unlockRest = await lockEvents(inOrder.slice(1_000));
  producer.enqueueEvents(eventIds, 9);
  await producer.waitingJobs('match');
  await start();
  await bothWait();
  return { unlockFirst, unlockRest };
}

describe('matching for several tenants', () => {
  it('matches the single event of one before the bulk that another sent first', async () => {
    const [bulky, single] = [await insertTenant(database.pool), await insertTenant(database.pool)];
    const enqueue = createFairEnqueue(producer);
    const bulk: string[] = [];
    for (let commits = 1; commits <= 6; commits += 1) {
      const { eventIds, tenantIds } = await accept(bulky, records(500));
      enqueue(eventIds, tenantIds);
      bulk.push(...eventIds);
    }
    const { eventIds, tenantIds } = await accept(single, [1]);
    enqueue(eventIds, tenantIds);
    expect(await producer.waitingJobs('match')).toBe(31);
    const [unlockBulky, unlockSingle] = [await lockEvents(bulk), await lockEvents(eventIds)];
    await start();
    // One of the two concurrent matches is that of the single event: it ends while all others wait.
    await bothWait();
    await unlockSingle();
    await eventually(async () => expect(await matchesOf(single)).toBe(1));
    expect(await matchesOf(bulky)).toBe(0);
    await unlockBulky();
    await allMatched();
  });

  it('matches the single event of one before the bulk of another that the worker is busy with', async () => {
    const [bulky, single] = [await insertTenant(database.pool), await insertTenant(database.pool)];
    const { unlockFirst, unlockRest } = await beginBulk(bulky);
    const { eventIds: alone } = await accept(single, [1]);
    producer.enqueueEvents(alone, 8);
    await producer.waitingJobs('match');
    await unlockFirst();
    await eventually(async () => expect(await matchesOf(single)).toBe(1));
    // Events that were under way, or gathered for the next match.
    expect(await matchesOf(bulky)).toBeLessThanOrEqual(1_000);
    await unlockRest();
    await allMatched();
  });

  it('finishes the matches under way when it stops, and leaves the rest to others, with its priority', async () => {
    const bulky = await insertTenant(database.pool);
    const { unlockFirst, unlockRest } = await beginBulk(bulky);
    const stopped = stops.splice(0).map((stop) => stop());
    await unlockFirst();
    await Promise.all(stopped);
    await unlockRest();
    const { rowCount: left } = await database.pool.query('SELECT FROM pending_events WHERE tenant_id = $1', [bulky]);
    await producer.waitingJobs('match');
    const queue = `${redis.prefix}:match`;
    const jobs: { eventIds: string[]; priority: string | null }[] = [];
    for (const id of await producer.redis.zrange(`${queue}:prioritized`, '0', '-1')) {
      const [data, priority = null] = await producer.redis.hmget(`${queue}:${id}`, 'data', 'priority');
      jobs.push({ ...(JSON.parse(data ?? '') as { eventIds: string[] }), priority });
    }
    expect(jobs.flatMap(({ eventIds }) => eventIds)).toHaveLength(left ?? 0);
    expect(new Set(jobs.map(({ priority }) => priority))).toEqual(new Set(['9']));
    await start();
    await allMatched();
  });

  it('matches everything eventually, and each record in order, whatever the priorities of its events', async () => {
    const tenantIds = [await insertTenant(database.pool), await insertTenant(database.pool)];
    const webhookKeys: number[] = [];
    for (const tenantId of tenantIds) webhookKeys.push(await insertWebhook(database.pool, tenantId, 1));
    // More events of one record than are matched at a time, and the later they come the earlier their priority.
    for (let priority = 9; priority >= 5; priority -= 1) {
      for (const tenantId of tenantIds) {
        const recordIds = Array.from({ length: 300 }, (_, n) => (n % 3) + 1);
        const { eventIds } = await accept(tenantId, recordIds);
        producer.enqueueEvents(eventIds, priority);
      }
    }
    expect(await producer.waitingJobs('match')).toBe(30);
    await start();
    await allMatched();
    const { rows } = await database.pool.query<{ versions: number[] }>(
      `SELECT array_agg(e.record_version::int ORDER BY c.sequence_number) AS versions
       FROM callouts c JOIN events e ON e.id = c.event_id
       WHERE c.webhook_key = ANY($1) GROUP BY c.webhook_key, c.record_id`,
      [webhookKeys],
    );
    expect(rows.map(({ versions }) => versions)).toEqual(Array.from({ length: 6 }, () => records(500)));
    // Events beyond the limit of a match kept their priority.
    expect(enqueuedAgain.length).toBeGreaterThan(0);
    expect([5, 6, 7, 8, 9]).toEqual(expect.arrayContaining(enqueuedAgain));
  });
});
