import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { buildCatalogue, ownCatalogueDir } from '@callout/core/catalogue';
import { type Database, openDatabase } from '@callout/db/connection';
import { createIntakeCommit } from '@callout/db/ingest';
import { anEvent, insertTenant, insertWebhook } from '@callout/db/fixtures';
import { createProducer, createWakeInTurn, type Producer } from '@callout/queue';
import { parseConfig, readCatalogueFiles, workerConfig } from '@callout/runtime/config';
import { createLogger } from '@callout/runtime/log';
import { createTestDatabase, eventually, testRedis, type TestRedis } from '@callout/testing';
import { startMatch } from './start.ts';

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let redis: TestRedis;
let producer: Producer;
let commit: ReturnType<typeof createIntakeCommit>;
/** Turns of the match jobs that the worker itself woke. */
const wokenAgain: (number | undefined)[] = [];
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ url: testDatabase.url, poolSize: 10, applicationName: 'test', onError: () => undefined });
  commit = createIntakeCommit(database.pool);
});

// A queue for each test: all events of one can be matched while jobs that name them are still waiting.
beforeEach(async () => {
  redis = await testRedis();
  producer = createProducer({ ...redis, onError: () => undefined });
  await eventually(() => producer.isReady());
});

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await producer.close();
  await redis.cleanUp();
  wokenAgain.length = 0;
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** Starts matching, and nothing else: no sweep finds what is left over. */
async function start(): Promise<void> {
  const wake: Producer['wake'] = (name, job, turn) => {
    if (name === 'match') wokenAgain.push(turn);
    producer.wake(name, job, turn);
  };
  const steps = startMatch({
    config: parseConfig(workerConfig, {
      DATABASE_URL: testDatabase.url,
      REDIS_URL: redis.url,
      SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    }),
    catalogue: buildCatalogue(await readCatalogueFiles(ownCatalogueDir)),
    pool: database.pool,
    producer: { ...producer, wake },
    redis: { url: redis.url, prefix: redis.prefix, onError: () => undefined },
    log: createLogger({ service: 'worker', level: 'silent' }),
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

/** How many events of one tenant were claimed by transactions older than the one that claimed the other's. */
async function matchedBefore(tenantId: number, other: number): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM event_matches
     WHERE tenant_id = $1
       AND xmin::text::bigint < (SELECT min(xmin::text::bigint) FROM event_matches WHERE tenant_id = $2)`,
    [tenantId, other],
  );
  return rows[0]?.count ?? 0;
}

async function waitUntilPut(jobs: number): Promise<void> {
  await eventually(async () => (await producer.waiting('match')) === jobs);
}

/** Both matches that a worker makes at a time are under way, and wait for a lock. */
const bothWait = () =>
  eventually(async () => {
    const { rowCount } = await database.pool.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rowCount === 2;
  });

/** Lets the worker take 90 jobs of 30 events each, with the turn 9, of which it can match none until they are let go. */
async function takeInHand(tenantId: number): Promise<{ letGo: () => Promise<void> }> {
  const { eventIds } = await accept(tenantId, records(2_700));
  const holder = await database.pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM pending_events WHERE tenant_id = $1 FOR UPDATE', [tenantId]);
  for (let first = 0; first < eventIds.length; first += 30) {
    producer.wake('match', { eventIds: eventIds.slice(first, first + 30) }, 9);
    await waitUntilPut(1 + first / 30);
  }
  await start();
  await eventually(async () => (await producer.redis.llen(`${redis.prefix}:match:active`)) === 90);
  await bothWait();
  return {
    async letGo() {
      await holder.query('COMMIT');
      holder.release();
    },
  };
}

describe('matching for several tenants', () => {
  it('matches the single event of one before the bulk that another sent first', async () => {
    const [bulky, single] = [await insertTenant(database.pool), await insertTenant(database.pool)];
    const wakeInTurn = createWakeInTurn(producer);
    for (let jobs = 1; jobs <= 6; jobs += 1) {
      const { eventIds, tenantIds } = await accept(bulky, records(500));
      wakeInTurn(eventIds, tenantIds);
      await waitUntilPut(jobs);
    }
    const { eventIds, tenantIds } = await accept(single, [1]);
    wakeInTurn(eventIds, tenantIds);
    await waitUntilPut(7);
    await start();
    await allMatched();
    // Two matches are under way at a time: usually it is 500 at the most, but the second may be quicker than the first.
    expect(await matchedBefore(bulky, single)).toBeLessThanOrEqual(1_500);
  });

  it('matches the single event of one before the bulk of another that the worker has in hand', async () => {
    const [bulky, single] = [await insertTenant(database.pool), await insertTenant(database.pool)];
    const holder = await takeInHand(bulky);
    const { eventIds: alone } = await accept(single, [1]);
    producer.wake('match', { eventIds: alone }, 8);
    const isTaken = async () => (await producer.redis.llen(`${redis.prefix}:match:active`)) === 91;
    await eventually(isTaken);
    await holder.letGo();
    await allMatched();
    expect(await matchedBefore(bulky, single)).toBeLessThanOrEqual(1_500);
  });

  it('finishes what is under way when it stops, and leaves what it has in hand to others, in its turn', async () => {
    const bulky = await insertTenant(database.pool);
    const holder = await takeInHand(bulky);
    const stopped = stops.splice(0).map((stop) => stop());
    await holder.letGo();
    await Promise.all(stopped);
    const { rowCount: left } = await database.pool.query('SELECT FROM pending_events WHERE tenant_id = $1', [bulky]);
    expect(left).toBe(2_640);
    expect(new Set(wokenAgain)).toEqual(new Set([9]));
    await start();
    await allMatched();
  });

  it('matches everything in the end, and each record in order, whatever the turns of its events', async () => {
    const tenantIds = [await insertTenant(database.pool), await insertTenant(database.pool)];
    const webhookKeys: number[] = [];
    for (const tenantId of tenantIds) webhookKeys.push(await insertWebhook(database.pool, tenantId, 1));
    // More events of one record than are matched at a time, and the later they come the earlier their turn.
    let jobs = 0;
    for (let turn = 9; turn >= 5; turn -= 1) {
      for (const tenantId of tenantIds) {
        const recordIds = Array.from({ length: 300 }, (_, n) => (n % 3) + 1);
        const { eventIds } = await accept(tenantId, recordIds);
        producer.wake('match', { eventIds }, turn);
        jobs += 1;
        await waitUntilPut(jobs);
      }
    }
    await start();
    await allMatched();
    const { rows } = await database.pool.query<{ versions: number[] }>(
      `SELECT array_agg(e.record_version::int ORDER BY c.sequence_number) AS versions
       FROM callouts c JOIN events e ON e.id = c.event_id
       WHERE c.webhook_key = ANY($1) GROUP BY c.webhook_key, c.record_id`,
      [webhookKeys],
    );
    expect(rows.map(({ versions }) => versions)).toEqual(Array.from({ length: 6 }, () => records(500)));
    // What a match had no room for kept its turn.
    expect(wokenAgain.length).toBeGreaterThan(0);
    expect([5, 6, 7, 8, 9]).toEqual(expect.arrayContaining(wokenAgain));
  });
});
