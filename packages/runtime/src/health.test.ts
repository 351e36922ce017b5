import { afterEach, describe, expect, it } from '@jest/globals';
import { createHealth } from './health.ts';
import { startHealthServer, type HealthServer } from './health-server.ts';
import { createLogger } from './logger.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const ok = () => Promise.resolve();

describe('createHealth', () => {
  it('is ready when every check passes', async () => {
    const health = createHealth({ log, isStopping: () => false, checks: { database: ok, redis: ok } });
    await expect(health.ready()).resolves.toEqual({
      status: 200,
      body: { status: 'ready', checks: { database: 'ok', redis: 'ok' } },
    });
  });

  it('tells its notices, and is ready all the same, also when they cannot be found', async () => {
    const readyWith = (notices: () => Promise<string[]>) =>
      createHealth({ log, isStopping: () => false, checks: { database: ok }, notices }).ready();
    const body = { status: 'ready', checks: { database: 'ok' } };
    expect(await readyWith(async () => ['a day is kept'])).toEqual({
      status: 200,
      body: { ...body, notices: ['a day is kept'] },
    });
    expect(await readyWith(async () => [])).toEqual({ status: 200, body });
    expect(await readyWith(() => Promise.reject(new Error('away')))).toEqual({ status: 200, body });
  });

  it('names the check that failed or hangs, keeps the reason to itself, and stays live', async () => {
    const health = createHealth({
      log,
      isStopping: () => false,
      checkTimeoutMs: 10,
      checks: {
        database: () => Promise.reject(new Error('password of postgres://…')),
        redis: () => new Promise(() => {}),
        catalogue: ok,
      },
    });
    await expect(health.ready()).resolves.toEqual({
      status: 503,
      body: { status: 'not ready', checks: { database: 'failed', redis: 'failed', catalogue: 'ok' } },
    });
    expect(health.live().status).toBe(200);
  });

  it('is not ready while the process stops', async () => {
    const health = createHealth({ log, isStopping: () => true, checks: { database: ok } });
    await expect(health.ready()).resolves.toEqual({ status: 503, body: { status: 'stopping' } });
  });
});

describe('startHealthServer', () => {
  let server: HealthServer | undefined;
  afterEach(() => server?.close());

  it('serves /healthz and /readyz and nothing else', async () => {
    const health = createHealth({
      log,
      isStopping: () => false,
      checks: { database: () => Promise.reject(new Error()) },
    });
    server = await startHealthServer({ health, host: '127.0.0.1', port: 0 });
    const base = `http://127.0.0.1:${server.port}`;
    const statuses = await Promise.all(
      ['/healthz', '/ReadyZ/?probe=1', '/', '/metrics'].map(async (path) => (await fetch(base + path)).status),
    );
    expect(statuses).toEqual([200, 503, 404, 404]);
    await expect((await fetch(`${base}/readyz`)).json()).resolves.toEqual({
      status: 'not ready',
      checks: { database: 'failed' },
    });
  });
});
