import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { withClient } from '@callout/local/postgres';
import {
  type AppProcess,
  callApi,
  type Call,
  type CalloutSetup,
  createTestDatabase,
  eventually,
  everyCompanyEvent,
  type StallingReceiver,
  prepareCallout,
  registerWebhook,
  type Settings,
  startStallingReceiver,
  type TenantUnderTest,
  testRedis,
} from '@callout/testing';

/** The name of the connections of the process that is stopped. */
const FROZEN = 'frozen';
const POOL = 5;
/** No response comes too late for its attempt. */
const SETTINGS = {
  ...{ DATABASE_POOL_SIZE: String(POOL) },
  ...{ CALLOUT_TIMEOUT_MS: '5000', RETRY_SCHEDULE: '300ms,300ms,300ms' },
};

const stops: (() => Promise<void>)[] = [];
let databaseUrl: string;
let setup: CalloutSetup;
let held: StallingReceiver;
/** The API that stays. */
let port: number;
let tenant: TenantUnderTest;
let started: AppProcess[] = [];

beforeAll(async () => {
  const [database, redis] = await Promise.all([createTestDatabase(), testRedis()]);
  stops.push(database.drop, redis.cleanUp);
  databaseUrl = database.url;
  setup = await prepareCallout({ databaseUrl, redisUrl: redis.url, redisPrefix: redis.prefix, settings: SETTINGS });
  held = await startStallingReceiver();
  stops.push(held.stop, () => setup.stop());
  port = await setup.installation.start('api', 'API').ready();
});
beforeEach(async () => {
  tenant = await setup.tenant();
});
afterEach(async () => {
  await Promise.all(started.map((one) => one.signal('SIGKILL')));
  started = [];
});
afterAll(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

async function start(app: 'api' | 'worker', settings: Settings = {}): Promise<AppProcess & { port: number }> {
  const process = setup.installation.start(app, app, settings);
  started.push(process);
  return { ...process, port: await process.ready() };
}

function startFrozen(app: 'api' | 'worker') {
  const url = new URL(databaseUrl);
  url.searchParams.set('application_name', FROZEN);
  return start(app, { DATABASE_URL: url.href });
}

interface Holding {
  /** Takes a lock that the work has to wait for in the middle of its transaction. */
  readonly lock: (statement: string) => Promise<unknown>;
  /** Waits until so many statements of the process wait. */
  readonly whenWaiting: (count: number) => Promise<unknown>;
}

/**
 * Stops a process when `begin` has brought it into the middle of its transactions. Then only the process has their
 * locks.
 * @param open the number of transactions that stay open.
 */
async function freeze(process: AppProcess, open: number, begin: (holding: Holding) => Promise<unknown>): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const countOf = async (what: string) => {
      const backends = `SELECT FROM pg_stat_activity WHERE application_name = '${FROZEN}' AND ${what}`;
      return (await setup.database.pool.query(backends)).rowCount;
    };
    await client.query('BEGIN');
    await begin({
      lock: (statement) => client.query(statement),
      whenWaiting: (count) => eventually(async () => (await countOf(`wait_event_type = 'Lock'`)) === count),
    });
    await process.signal('SIGSTOP');
    await client.query('ROLLBACK');
    await eventually(async () => (await countOf(`state = 'idle in transaction'`)) === open);
  });
}

/** A receiver that lets its callout stay open. */
const later = { status: 503, headers: { 'Retry-After': '3600' } };

const lockRow = (table: string, where: string) => `SELECT FROM ${table} WHERE ${where} FOR UPDATE`;
const webhookRow = (id: number) => `tenant_id = ${tenant.id} AND entity_type = 'Account' AND id = ${id}`;
const calloutsOf = (id: number) => `webhook_key = (SELECT key FROM webhooks WHERE ${webhookRow(id)})`;

const register = (url: string) => registerWebhook(port, tenant.integrator, { ...everyCompanyEvent, url });
const events = (eventID: string, action: string, ...records: readonly number[]): Call => ({
  method: 'POST',
  path: '/EntityEvents',
  body: {
    events: records.map((id) => ({
      ...{ eventID: `${eventID}-${id}`.replaceAll(' ', '-'), entityType: 'Account', action, id },
      fields: { companyName: eventID },
    })),
  },
});
const deactivate = (id: number): Call => ({ method: 'PATCH', path: '/CompanyWebhooks', body: { id, isActive: false } });

async function send(call: Call, at = port): Promise<void> {
  expect(await callApi(at, tenant.source, call)).toMatchObject({ kind: 'answered', status: 202 });
}

/** The values of a record in requests, in the order of arrival. */
const namesOf = (requests: readonly { readonly body: Buffer }[], record: number): string[] =>
  requests
    .map(({ body }) => JSON.parse(body.toString()) as { Id: number; Action: string; Fields: Record<string, string> })
    .filter(({ Id }) => Id === record)
    .map(({ Action, Fields }) => Fields['CompanyName'] ?? Action);
const cameTo = (path: string, record: number) => namesOf(setup.receiver.requests(path), record);

/** Waits until the first attempt of the callouts of a webhook is stored. */
const whenTried = (id: number) =>
  eventually(async () => {
    const tried = `SELECT FROM open_callouts WHERE attempts_made = 1 AND ${calloutsOf(id)}`;
    return (await setup.database.pool.query(tried)).rowCount === 1;
  });

const readiness = async (at: number) => (await fetch(`http://127.0.0.1:${at}/readyz`)).status;

/** Waits for locks, and connections beyond the pools of all processes: the frozen one has left neither. */
async function leftBehind(): Promise<{ waiting: number; isBounded: boolean }> {
  const { rows } = await setup.database.pool.query<{ waiting: number; connections: number }>(
    `SELECT count(*) FILTER (WHERE wait_event_type = 'Lock')::int AS waiting, count(*)::int AS connections
     FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`,
  );
  const [{ waiting, connections } = { waiting: NaN, connections: NaN }] = rows;
  const most = setup.installation.processes().filter((one) => one.isRunning()).length * (2 * POOL + 5) + 4;
  return { waiting, isBounded: connections <= most };
}

describe('a process that freezes in its transactions keeps nobody waiting for long, and stores nothing afterwards', () => {
  it('an API in ingest, in a deactivation and in a cancellation', async () => {
    await start('worker');
    const frozen = await startFrozen('api');
    const [path, gone] = ['/ingest', '/gone'];
    setup.receiver.script(gone, later);
    await register(setup.receiver.url(path));
    await send(events('created', 'Create', 1, 2));
    const deactivated = await register(setup.receiver.url('/deactivated'));
    const cancelled = await register(setup.receiver.url(gone));
    await send(events('to be cancelled', 'Create', 3));
    await whenTried(cancelled);
    const calls: [Call, TenantUnderTest['source']][] = [
      [events('changed', 'Update', 1, 2), tenant.source],
      [deactivate(deactivated), tenant.integrator],
      [{ method: 'POST', path: `/CompanyWebhooks/${cancelled}/cancel`, body: { fromSequence: 1 } }, tenant.integrator],
    ];
    let unanswered: ReturnType<typeof callApi>[] = [];
    await freeze(frozen, 3, async ({ lock, whenWaiting }) => {
      await lock(lockRow('records', `tenant_id = ${tenant.id} AND id = 2`));
      await lock(lockRow('webhooks', webhookRow(deactivated)));
      await lock(lockRow('open_callouts', calloutsOf(cancelled)));
      unanswered = calls.map(([call, as]) => callApi(frozen.port, as, call));
      await whenWaiting(3);
    });

    const replies = await Promise.all(calls.map(([call, as]) => callApi(port, as, call)));
    expect(replies).toMatchObject([{ status: 202 }, { status: 200 }, { status: 200, body: { cancelled: 1 } }]);
    await send(events('changed again', 'Update', 1, 2));
    await eventually(() => cameTo(path, 1).length + cameTo(path, 2).length === 6);
    expect(await leftBehind()).toEqual({ waiting: 0, isBounded: true });

    await frozen.signal('SIGCONT');
    for (const reply of await Promise.all(unanswered)) expect(reply).toMatchObject({ kind: 'answered', status: 503 });
    await eventually(async () => (await readiness(frozen.port)) === 200);
    await send(events('changed by the one that was frozen', 'Update', 1, 2), frozen.port);
    const all = ['created', 'changed', 'changed again', 'changed by the one that was frozen'];
    await eventually(() => cameTo(path, 1).length + cameTo(path, 2).length === 2 * all.length);
    expect([cameTo(path, 1), cameTo(path, 2)]).toEqual([all, all]);
    const deactivationCalls = () =>
      setup.receiver.requests('/deactivated').filter(({ body }) => body.includes('"Deactivated"'));
    await eventually(() => deactivationCalls().length > 0);
    expect(deactivationCalls()).toHaveLength(1);
  });

  it('a worker in match, with calls under way, in settle and in cancelling', async () => {
    const frozen = await startFrozen('worker');
    const [matched, claimed, settled, cancelled] = ['/matched', '/claimed', '/settled', '/cancelled'];
    setup.receiver.script(cancelled, later);
    setup.receiver.script(claimed, (_, nth) => (nth === 1 ? 'hang' : { status: 200 }));
    const cancel = await register(setup.receiver.url(cancelled));
    await send(events('created', 'Create', 13));
    await whenTried(cancel);
    const { pool } = setup.database;
    await freeze(frozen, 3, async ({ lock, whenWaiting }) => {
      await lock(lockRow('open_callouts', calloutsOf(cancel)));
      // The state after an API that dies right after its commit.
      await pool.query(
        `UPDATE webhooks SET is_active = false, is_cancelling = true, version = version + 1 WHERE ${webhookRow(cancel)}`,
      );
      await whenWaiting(1);
      const settle = await register(held.url(settled));
      await register(setup.receiver.url(claimed));
      await send(events('created', 'Create', 11));
      await eventually(() => setup.receiver.count(claimed) > 0);
      const call = await held.nth(settled, 1);
      await lock(lockRow('open_callouts', calloutsOf(settle)));
      await call.answer(500);
      const match = await register(setup.receiver.url(matched));
      await lock(lockRow('webhooks', webhookRow(match)));
      await send(events('created', 'Create', 12));
      await whenWaiting(3);
    });

    const other = await start('worker');
    await send(events('changed', 'Update', 11, 12));
    let answered = 1;
    const whenDone = () =>
      eventually(async () => {
        const calls = held.calls(settled).slice(answered);
        answered += calls.length;
        await Promise.all(calls.map((call) => call.answer(200)));
        const { openCallout, pendingEvent } = setup.database.prisma;
        const where = { tenantId: tenant.id };
        return (await pendingEvent.count({ where })) + (await openCallout.count({ where })) === 0;
      });
    await whenDone();
    expect(await leftBehind()).toEqual({ waiting: 0, isBounded: true });

    await frozen.signal('SIGCONT');
    await eventually(async () => (await readiness(frozen.port)) === 200);
    await other.signal('SIGTERM');
    await send(events('changed by the one that was frozen', 'Update', 11, 12));
    await whenDone();
    const all = ['created', 'changed', 'changed by the one that was frozen'];
    expect(cameTo(matched, 12)).toEqual(all);
    expect(cameTo(claimed, 11)).toEqual(['created', ...all]);
    expect(namesOf(held.calls(settled), 11)).toEqual(['created', ...all]);
  });

  it('a worker in what one process does at a time', async () => {
    const frozen = await startFrozen('worker');
    const { pool } = setup.database;
    const setBack = `UPDATE statistics_progress SET seen_until = minutes_until - interval '1 minute'`;
    await eventually(async () => (await pool.query('SELECT FROM statistics_progress')).rowCount === 1);
    await freeze(frozen, 0, async ({ lock, whenWaiting }) => {
      await lock('LOCK TABLE delivery_minutes IN SHARE MODE');
      await pool.query(setBack);
      await whenWaiting(1);
    });
    await pool.query(setBack);
    await start('worker');
    const isDone = `SELECT FROM statistics_progress WHERE seen_until >= minutes_until`;
    await eventually(async () => (await pool.query(isDone)).rowCount === 1);
    expect(await leftBehind()).toEqual({ waiting: 0, isBounded: true });
    await frozen.signal('SIGCONT');
    await eventually(async () => (await readiness(frozen.port)) === 200);
  });
});
