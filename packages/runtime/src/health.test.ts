import { afterEach, describe, expect, it } from '@jest/globals';
import { createHealth } from './health.ts';
import { startHealthServer, type HealthServer } from './health-server.ts';
import { createLogger } from './log/logger.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const ok = async () => [];

/** A clock that each look at it moves on, so that no result is kept. */
function everLater(): () => number {
  let nowMs = 0;
  return () => (nowMs += 1_000);
}

describe('createHealth', () => {
  it('is ready when every check passes', async () => {
    const health = createHealth({ log, isStopping: () => false, checks: { database: ok, redis: ok } });
    await expect(health.ready()).resolves.toEqual({
      status: 200,
      body: { status: 'ready', checks: { database: 'ok', redis: 'ok' } },
    });
  });

  it('shows its notices, and is ready all the same, also when they cannot be found', async () => {
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

  it('names the check that failed or hangs, with its message or code, and stays live', async () => {
    const away = Object.assign(new Error('connect ECONNREFUSED db.internal'), { code: 'ECONNREFUSED' });
    const health = createHealth({
      log,
      isStopping: () => false,
      checkTimeoutMs: 10,
      checks: {
        database: () => Promise.reject(away),
        partitions: () => Promise.reject(new Error('password of postgres://…')),
        mail: async () => ['it is full', 'it is old'],
        redis: () => new Promise(() => {}),
        catalogue: ok,
      },
    });
    await expect(health.ready()).resolves.toEqual({
      status: 503,
      body: {
        status: 'not ready',
        checks: {
          database: 'failed: ECONNREFUSED, see the log',
          partitions: 'failed: see the log',
          mail: 'failed: it is full; it is old',
          redis: 'failed: no answer within 10 ms',
          catalogue: 'ok',
        },
      },
    });
    expect(health.live().status).toBe(200);
  });

  it('checks once for all that ask at a time, and again after a second; that it stops it says at once', async () => {
    let [nowMs, checked, noticed] = [3_600_000, 0, 0];
    let isStopping = false;
    const health = createHealth({
      log,
      isStopping: () => isStopping,
      nowMs: () => nowMs,
      checks: { database: async () => [`check ${(checked += 1)}`].slice(1) },
      notices: async () => [`notice ${(noticed += 1)}`],
    });
    const first = await Promise.all(Array.from({ length: 50 }, () => health.ready()));
    expect(new Set(first.map(({ body }) => body.notices?.[0]))).toEqual(new Set(['notice 1']));
    nowMs += 999;
    await health.ready();
    expect([checked, noticed]).toEqual([1, 1]);
    nowMs += 1;
    await health.ready();
    expect([checked, noticed]).toEqual([2, 2]);
    isStopping = true;
    expect(await health.ready()).toMatchObject({ status: 503 });
    expect([checked, noticed]).toEqual([2, 2]);
  });

  it('logs a failure once, not at every check, and that it is over', async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    let problems: string[] = [];
    const health = createHealth({
      // The end of a shown notice is shown, too.
      log: createLogger({ service: 'test', level: 'warn', destination }),
      isStopping: () => false,
      nowMs: everLater(),
      checks: { database: async () => problems },
    });
    await health.ready();
    problems = ['read-only'];
    for (const _probe of [1, 2, 3]) await health.ready();
    problems = [];
    for (const _probe of [1, 2]) await health.ready();
    const shown = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(shown).toMatchObject([
      { level: 'warn', check: 'database', msg: 'not ready', result: 'failed: read-only' },
      { level: 'warn', check: 'database', msg: 'ready again' },
    ]);
  });

  it('logs once that notices cannot be found, not at every check', async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const health = createHealth({
      log: createLogger({ service: 'test', level: 'warn', destination }),
      isStopping: () => false,
      nowMs: everLater(),
      checks: { database: ok },
      notices: () => Promise.reject(new Error('away')),
    });
    for (const _probe of [1, 2, 3]) await health.ready();
    expect(lines).toEqual([expect.stringContaining('notices could not be read')]);
  });

  it('is not ready while the process stops', async () => {
    const health = createHealth({ log, isStopping: () => true, checks: { database: ok } });
    await expect(health.ready()).resolves.toEqual({ status: 503, body: { status: 'stopping' } });
  });
});

describe('startHealthServer', () => {
  let server: HealthServer | undefined;
  afterEach(() => server?.close());

  it('serves /healthz, /readyz and /metrics and nothing else', async () => {
    const health = createHealth({
      log,
      isStopping: () => false,
      checks: { database: () => Promise.reject(new Error()) },
    });
    let isAway = false;
    server = await startHealthServer({
      log,
      health,
      host: '127.0.0.1',
      port: 0,
      metrics: {
        contentType: 'text/plain; version=0.0.4; charset=utf-8',
        async text() {
          if (isAway) throw new Error('password of postgres://…');
          return 'callout_pending_events 3\n';
        },
      },
    });
    const base = `http://127.0.0.1:${server.port}`;
    const statuses = await Promise.all(
      ['/healthz', '/ReadyZ/?probe=1', '/', '/metric'].map(async (path) => (await fetch(base + path)).status),
    );
    expect(statuses).toEqual([200, 503, 404, 404]);
    await expect((await fetch(`${base}/readyz`)).json()).resolves.toEqual({
      status: 'not ready',
      checks: { database: 'failed: see the log' },
    });
    const counted = await fetch(`${base}/metrics`);
    expect(counted.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    expect(await counted.text()).toBe('callout_pending_events 3\n');
    isAway = true;
    const uncounted = await fetch(`${base}/metrics`);
    expect(uncounted.status).toBe(503);
    expect(await uncounted.text()).not.toContain('password');
  });
});
