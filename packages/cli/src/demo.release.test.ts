import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { openDatabase } from '@callout/database/connection/database';
import { sharedPostgres, sharedRedis } from '@callout/local/test-run';
import { launch } from './launcher.fixture.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(path.join(await realpath(tmpdir()), 'callout-cli-'));
});

afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

it('runs to its end, on servers of others without leaving anything there', async () => {
  const [postgres, redis] = await Promise.all([sharedPostgres(), sharedRedis()]);
  const demo = launch(['demo'], { DATABASE_URL: postgres.url, REDIS_URL: redis.url, TMPDIR: home });
  const { status, stdout, stderr } = await demo.ended;
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(stdout.match(/signature verified/g)).toHaveLength(6);
  expect(stdout).toMatch(/"Fields":\{"Phone":"555-0199","CompanyName":"Northwind"\}.*"SequenceNumber":2/);
  expect(stdout).toContain('webhook-signature by secret and public key, x-hook-signature by secret');
  expect(stdout).toMatch(/Subject: \[127\.0\.0\.1:\d+\] Callout - Deactivated: demo\.Company\.Any/);
  expect(stdout).not.toContain('\u001B');

  expect(await readdir(home)).toEqual([]);
  const database = openDatabase({ url: postgres.url, poolSize: 2, applicationName: 'test', onError: () => undefined });
  const { rows } = await database.pool.query("SELECT datname FROM pg_database WHERE datname LIKE 'callout_demo%'");
  await database.close();
  expect(rows).toEqual([]);
});

it('says what is wrong and fails when it cannot start', async () => {
  const { status, stderr } = await launch(['demo'], { DATABASE_URL: 'postgres://127.0.0.1:1/none', TMPDIR: home })
    .ended;
  expect(status).toBe(1);
  expect(stderr).toContain(
    'DATABASE_URL: cannot make a database for the demo at 127.0.0.1:1/none: connect ECONNREFUSED',
  );
});
