import { describe, expect, it } from '@jest/globals';
import { type App, type AppProcess, bundledMain, startAppProcess } from '@callout/testing';

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
      { ...nowhere, SECRET_KEYS: aKeyRing, LEASE_MS: '1000', CALLOUT_TIMEOUT_MS: '2000', CALLOUT_ALLOW_CIDRS: 'x' },
      ['CALLOUT_ALLOW_CIDRS', 'LEASE_MS'],
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
  it.each<App>(['api', 'worker'])(
    '%s ends, so that its supervisor starts it again, and does not print the password',
    async (app) => {
      const process = await startInVain(app, {
        ...nowhere,
        SECRET_KEYS: aKeyRing,
        API_PORT: '0',
        WORKER_HEALTH_PORT: '0',
      });
      expect(process.log().at(-1)).toMatchObject({ level: 'fatal', msg: 'could not start' });
      expect(process.output()).toContain('ECONNREFUSED');
      expect(process.output()).not.toContain('database-password');
    },
  );
});
