import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, eventually, startPostgresRelay, testRedis, type PostgresRelay } from '@callout/testing';
import { startWorker, type RunningWorker } from '../fixtures/start-worker.ts';
import { useStallingReceiver } from '../fixtures/use-worker.ts';
import { aWebhook, type WebhookUnderTest } from '../fixtures/webhook-under-test.ts';

const receiver = useStallingReceiver();
const secretKeys = `k1:${randomBytes(32).toString('base64')}`;
let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let redis: Awaited<ReturnType<typeof testRedis>>;
let relay: PostgresRelay;
const workers: RunningWorker[] = [];
let webhook: WebhookUnderTest;

/** A worker whose PostgreSQL the test can disconnect, unless it is connected directly. */
async function aWorker(env: Record<string, string>, url = relay.url, leaseMs = 10_000): Promise<RunningWorker> {
  const settings = { RETRY_SCHEDULE: '10ms', SECRET_KEYS: secretKeys, ...env };
  const worker = await startWorker(url, redis, settings, { leaseMs });
  workers.push(worker);
  return worker;
}

const underTest = (worker: RunningWorker) => aWebhook(worker, { urlOf: receiver.url, secretKey: 'of the receiver' });
const attempts = async () =>
  (await webhook.attempts()).map(({ calloutId, number, status }) => ({ calloutId, number, status }));
const callsOf = (one: WebhookUnderTest) => receiver.calls(one.callouts).map(({ headers }) => headers['webhook-id']);

beforeEach(async () => {
  [testDatabase, redis] = await Promise.all([createTestDatabase(), testRedis()]);
  relay = await startPostgresRelay(testDatabase.url);
});
afterEach(async () => {
  relay.setAway(false);
  for (const worker of workers.splice(0)) await worker.stop();
  await relay.stop();
  await Promise.all([redis.cleanUp(), testDatabase.drop()]);
});

describe('the result of a call, when PostgreSQL is away', () => {
  it.each([200, 500])(
    'is buffered and stored when it is back within the lease, after a response %d',
    async (status) => {
      webhook = await underTest(await aWorker({}));
      await webhook.change(1);
      const call = await receiver.nth(webhook.callouts, 1);
      relay.setAway(true);
      const before = relay.refused();
      await call.answer(status);
      // The worker has found it away, more than once.
      await eventually(() => relay.refused() >= before + 3);
      relay.setAway(false);
      if (status !== 200) await (await receiver.nth(webhook.callouts, 2)).answer(200);
      await webhook.allEnded();

      const id = call.headers['webhook-id'];
      const made = status === 200 ? [200] : [status, 200];
      expect(callsOf(webhook)).toEqual(made.map(() => id));
      expect(await attempts()).toEqual(made.map((one, nth) => ({ calloutId: id, number: nth + 1, status: one })));
      expect(await webhook.stored()).toMatchObject([{ state: 'delivered' }]);
    },
  );

  it.each(['before', 'after'] as const)(
    'is stored once when the connection breaks right %s its commit',
    async (when) => {
      webhook = await underTest(await aWorker({}));
      await webhook.change(1);
      const call = await receiver.nth(webhook.callouts, 1);
      relay.breakNextCommit(when);
      await call.answer(204);
      await webhook.allEnded();

      const id = call.headers['webhook-id'];
      await eventually(async () => (await webhook.attempts()).length > 0);
      expect(callsOf(webhook)).toEqual([id]);
      expect(await attempts()).toEqual([{ calloutId: id, number: 1, status: 204 }]);
      expect(await webhook.stored()).toMatchObject([{ state: 'delivered' }]);
    },
  );

  it('keeps its worker from claiming more until it is stored', async () => {
    const worker = await aWorker({});
    webhook = await underTest(worker);
    await webhook.change(1);
    const call = await receiver.nth(webhook.callouts, 1);
    const { pool } = worker.database;
    // A sequence counts the attempts: its value survives a rollback.
    await pool.query('CREATE SEQUENCE tries MINVALUE 0');
    await pool.query(
      `CREATE FUNCTION refuse_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN PERFORM nextval('tries'); RAISE EXCEPTION 'no room' USING ERRCODE = 'undefined_table'; END $$`,
    );
    await pool.query('CREATE TRIGGER refused BEFORE INSERT ON attempts FOR EACH ROW EXECUTE FUNCTION refuse_attempt()');
    await call.answer(204);
    // A second attempt comes only after the first has failed, and from then on the worker claims nothing.
    await eventually(async () => {
      const { rows } = await pool.query<{ tries: number }>('SELECT last_value::int AS tries FROM tries');
      return (rows[0]?.tries ?? 0) >= 1;
    });
    await webhook.change(2);
    await eventually(async () => (await webhook.stored()).length === 2);
    await webhook.change(3);
    await eventually(async () => (await webhook.stored()).length === 3);
    expect(callsOf(webhook)).toHaveLength(1);
    // Only the function: dropping the trigger would lock the table, and deadlock with an attempt that is under way.
    await pool.query(
      'CREATE OR REPLACE FUNCTION refuse_attempt() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
    );
    for (const nth of [2, 3]) await (await receiver.nth(webhook.callouts, nth)).answer(204);
    await webhook.allEnded();
    expect(await attempts()).toHaveLength(3);
  });

  it('of a call that takes longer than its lease counts, since the lease is renewed: no other worker makes the call', async () => {
    const aSlowOne = () => aWorker({ CALLOUT_TIMEOUT_MS: '30000' }, relay.url, 1_000);
    const slow = await aSlowOne();
    webhook = await underTest(slow);
    await aSlowOne();
    await webhook.change(1);
    const call = await receiver.nth(webhook.callouts, 1);
    const leases = 'SELECT extract(epoch FROM lease_until)::float8 AS ends FROM open_callouts';
    const endOf = async () => (await slow.database.pool.query<{ ends: number }>(leases)).rows[0]?.ends ?? 0;
    const first = await endOf();
    await eventually(async () => (await endOf()) > first + 3);
    await call.answer(204);
    await webhook.allEnded();
    expect(callsOf(webhook)).toHaveLength(1);
  });

  it('is dropped when it stays away beyond the lease: another worker sends again, with the same id', async () => {
    const env = { CALLOUT_TIMEOUT_MS: '1000' };
    const cutOff = await aWorker(env, relay.url, 2_000);
    webhook = await underTest(cutOff);
    await webhook.change(1);
    const call = await receiver.nth(webhook.callouts, 1);
    relay.setAway(true);
    await call.answer(200);
    const other = await aWorker(env, testDatabase.url, 2_000);
    const again = await receiver.nth(webhook.callouts, 2);
    await again.answer(204);
    await eventually(async () => (await other.database.prisma.openCallout.count()) === 0);
    relay.setAway(false);
    await webhook.change(2);
    await (await receiver.nth(webhook.callouts, 3)).answer(202);
    await webhook.allEnded();

    const [first, second, third] = callsOf(webhook);
    expect(second).toBe(first);
    expect(await attempts()).toEqual([
      { calloutId: first, number: 1, status: 204 },
      { calloutId: third, number: 1, status: 202 },
    ]);
  });
});
