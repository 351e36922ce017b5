import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { startTlsRelay } from '@callout/local/test-run';
import {
  createCompanies,
  createTestDatabase,
  eventually,
  everyCompanyEvent,
  prepareCallout,
  registerWebhook,
  testRedis,
} from '@callout/testing';

const stops: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

it('API and worker reach PostgreSQL and Redis by TLS, with the authority that the URLs name', async () => {
  const [{ url: databaseUrl, drop }, redis] = await Promise.all([createTestDatabase(), testRedis()]);
  const dir = await mkdtemp(path.join(tmpdir(), 'callout-tls-'));
  stops.push(drop, redis.cleanUp, () => rm(dir, { recursive: true }));
  const postgresRelay = await startTlsRelay({ port: Number(new URL(databaseUrl).port), protocol: 'postgres' });
  const redisRelay = await startTlsRelay({ port: Number(new URL(redis.url).port) });
  stops.push(
    () => postgresRelay.stop(),
    () => redisRelay.stop(),
  );
  /** The same server, by way of a relay. */
  async function secure(url: string, { port, ca }: typeof redisRelay, scheme: string, option: string): Promise<string> {
    const file = path.join(dir, `${scheme}.pem`);
    await writeFile(file, ca);
    const rest = url.replace(/^[^/]*/, scheme).replace(/@[^/]*/, `@localhost:${port}`);
    return `${rest}?${option}=${file}`;
  }
  const setup = await prepareCallout({
    databaseUrl,
    redisUrl: await secure(redis.url, redisRelay, 'rediss:', 'tlsCaFile'),
    redisPrefix: redis.prefix,
    // No other mode is a warning on stderr either.
    settings: { DATABASE_URL: await secure(databaseUrl, postgresRelay, 'postgres:', 'sslmode=require&sslrootcert') },
  });
  stops.push(() => setup.stop());
  const [api, worker] = [setup.installation.start('api', 'API'), setup.installation.start('worker', 'worker')];
  const [port] = await Promise.all([api.ready(), worker.ready()]);
  const tenant = await setup.tenant();
  await registerWebhook(port, tenant.integrator, { ...everyCompanyEvent, url: setup.receiver.url('/in') });
  await createCompanies(port, tenant.source, { first: 1, count: 3 });
  await eventually(() => setup.receiver.count('/in') === 3);
  expect(postgresRelay.handshakes()).toBeGreaterThan(1);
  expect(redisRelay.handshakes()).toBeGreaterThan(1);
  expect(api.strayOutput() + worker.strayOutput()).toBe('');
});
