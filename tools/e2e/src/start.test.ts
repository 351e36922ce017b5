import { describe, expect, it } from '@jest/globals';
import { withClient } from '@callout/local/postgres';
import {
  type App,
  type AppProcess,
  bundledMain,
  createTestDatabase,
  eventually,
  startAppProcess,
  startPostgresRelay,
} from '@callout/testing';

/** Starts a process that cannot run and waits until it has ended. */
async function startInVain(app: App, env: Record<string, string>): Promise<AppProcess> {
  const process = startAppProcess(app, await bundledMain(app), env);
  expect(await process.exit).toEqual({ code: 1, signal: null });
  return process;
}

const aKeyRing = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const nowhere = {
  DATABASE_URL: 'postgres://callout:database-password@127.0.0.1:1/callout',
  REDIS_URL: 'redis://:redis-password@127.0.0.1:1',
};

describe('a process with a configuration that cannot be', () => {
  it.each<[App, Record<string, string>, string[]]>([
    ['api', {}, ['DATABASE_URL', 'REDIS_URL', 'SECRET_KEYS']],
    ['worker', {}, ['DATABASE_URL', 'REDIS_URL', 'SECRET_KEYS']],
    [
      'api',
      { ...nowhere, SECRET_KEYS: aKeyRing, API_PORT: '99999', LOG_LEVEL: 'loud', MAX_BODY_BYTES: '-1' },
      ['LOG_LEVEL', 'API_PORT', 'MAX_BODY_BYTES'],
    ],
    [
      'worker',
      { ...nowhere, SECRET_KEYS: aKeyRing, CALLOUTS_IN_FLIGHT: '0', CALLOUT_ALLOW_CIDRS: 'x' },
      ['CALLOUT_ALLOW_CIDRS', 'CALLOUTS_IN_FLIGHT'],
    ],
  ])('%s with %j stops with one message that names every problem', async (app, env, keys) => {
    const process = await startInVain(app, env);
    const lines = process.strayOutput().trimEnd().split('\n');
    const count = keys.length === 1 ? '1 setting needs' : `${keys.length} settings need`;
    expect(lines.shift()).toBe(`Callout cannot start: ${count} attention.`);
    expect(lines.pop()).toBe('docs/configuration.md lists every setting.');
    expect(lines.filter((line) => /^ {2}\S/.test(line)).map((line) => line.trim().split(' ')[0])).toEqual(keys);
    expect(process.log()).toEqual([]);
  });

  it.each<App>(['api', 'worker'])(
    '%s in production without SECRET_KEYS says what is missing and how to make it',
    async (app) => {
      const process = await startInVain(app, { ...nowhere, NODE_ENV: 'production' });
      expect(process.strayOutput()).toContain('1 setting needs attention');
      expect(process.strayOutput()).toMatch(/SECRET_KEYS .*randomBytes\(32\)/);
    },
  );

  it('does not repeat a secret that it could not read', async () => {
    const process = await startInVain('api', {
      DATABASE_URL: 'mysql://callout:database-password@127.0.0.1/callout',
      REDIS_URL: 'http://:redis-password@127.0.0.1',
      SECRET_KEYS: 'k1:not-quite-a-key',
    });
    expect(process.strayOutput()).toContain('3 settings need attention');
    expect(process.output()).not.toMatch(/database-password|redis-password|not-quite-a-key/);
  });
});

describe('a process whose database is away', () => {
  const settings = { ...nowhere, SECRET_KEYS: aKeyRing, API_PORT: '0', WORKER_HEALTH_PORT: '0' };

  it('api and worker wait for a database that is still starting, say so, and start when it has started', async () => {
    const { url, drop } = await createTestDatabase();
    const relay = await startPostgresRelay(url);
    relay.setAway(true);
    const env = { ...settings, DATABASE_URL: relay.url };
    const processes: AppProcess[] = [];
    for (const app of ['api', 'worker'] as const) processes.push(startAppProcess(app, await bundledMain(app), env));
    const waits = (process: AppProcess) =>
      process.log().some(({ msg }) => /^PostgreSQL cannot be reached: .*60 s at most$/.test(msg));
    await eventually(() => processes.every(waits));
    relay.setAway(false);
    expect(await Promise.all(processes.map((process) => process.ready()))).toEqual([
      expect.any(Number),
      expect.any(Number),
    ]);
    await Promise.all(processes.map((process) => process.signal('SIGTERM')));
    await relay.stop();
    await drop();
  });

  it.each<App>(['api', 'worker'])(
    '%s waits for a database that is too slow, and never blames its key ring',
    async (app) => {
      const { url, drop } = await createTestDatabase();
      const env = { ...settings, DATABASE_URL: url };
      const process = await withClient(url, async (blocker) => {
        await blocker.query('BEGIN; LOCK webhooks');
        const waiting = startAppProcess(app, await bundledMain(app), env);
        await eventually(() => waiting.log().some(({ msg }) => /^PostgreSQL takes too long: .*for the keys/.test(msg)));
        return waiting;
      });
      await process.ready();
      await process.signal('SIGTERM');
      expect(process.output()).toMatch(/Waiting for the keys that its secrets need, \d+ s at most/);
      expect(process.output()).not.toContain('SECRET_KEYS');
      await drop();
    },
  );

  it('a process that waits for its database stops at once, without an error, on SIGTERM', async () => {
    const process = startAppProcess('api', await bundledMain('api'), settings);
    await eventually(() => process.log().some(({ msg }) => msg.startsWith('PostgreSQL cannot be reached')));
    await process.signal('SIGTERM');
    expect(await process.exit).toEqual({ code: 0, signal: null });
  });

  it('a wrong password is not waited for', async () => {
    const { url, drop } = await createTestDatabase();
    const wrong = new URL(url);
    wrong.password = 'wrong';
    const process = await startInVain('api', { ...settings, DATABASE_URL: wrong.href });
    expect(process.log().at(-1)).toMatchObject({ level: 'fatal', msg: 'could not start' });
    expect(process.output()).toContain('password authentication failed');
    await drop();
  });
});
