import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { acquireProcessLock } from '../process/process-lock.ts';
import { removeAbandonedRuns, serveSharedServices, type SharedServices } from './shared-services.ts';
import { sharedPostgres } from './request-services.ts';
import { temporaryDirectory } from './temporary-directory.fixture.ts';

const dir = temporaryDirectory();
const running: SharedServices[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((services) => services.stop()));
});

describe('serveSharedServices', () => {
  it('starts nothing before it is asked, and one server however often it is asked', async () => {
    const home = path.join(dir, 'lazy');
    await mkdir(home);
    const services = await serveSharedServices({ home });
    running.push(services);
    expect(await readdir(home)).toEqual([]);
    const answers = await Promise.all(
      Array.from({ length: 3 }, async () => (await fetch(`${services.address}/redis`)).json()),
    );
    expect(answers[0]).toEqual({ url: expect.stringMatching(/^redis:\/\/:.+@127\.0\.0\.1:\d+$/) });
    expect(answers).toEqual([answers[0], answers[0], answers[0]]);
    const [runDir = ''] = await readdir(home);
    expect(await readdir(path.join(home, runDir))).toEqual(['redis']);
    await services.stop();
    expect(await readdir(home)).toEqual([]);
  });

  it('gives out the services it was given, and removes only its own templates there', async () => {
    const { url: databaseUrl } = await sharedPostgres();
    const services = await serveSharedServices({ home: dir, databaseUrl, redisUrl: 'redis://127.0.0.1:1' });
    const postgres: unknown = await (await fetch(`${services.address}/postgres`)).json();
    expect(postgres).toEqual({
      url: databaseUrl,
      templatePrefix: expect.stringMatching(/^callout_test_[0-9a-f]{16}$/),
    });
    expect(await (await fetch(`${services.address}/redis`)).json()).toEqual({ url: 'redis://127.0.0.1:1' });
    await services.stop();
    expect((await sharedPostgres()).url).toBe(databaseUrl);
  });

  it('reveals nothing without its address, and the reason why a service does not start with it', async () => {
    const home = path.join(dir, 'no-directory');
    await writeFile(home, 'a file');
    const services = await serveSharedServices({ home });
    running.push(services);
    const { origin } = new URL(services.address);
    expect((await fetch(`${origin}/postgres`)).status).toBe(404);
    expect((await fetch(`${origin}/guess/postgres`)).status).toBe(404);
    const answer = await fetch(`${services.address}/postgres`);
    expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining('ENOTDIR')]);
  });
});

describe('removeAbandonedRuns', () => {
  it('removes what killed runs left, and nothing that is new, in use or of others', async () => {
    const home = path.join(dir, 'runs');
    const anHourAgo = new Date(Date.now() - 3_600_000);
    for (const name of ['callout-test-killed', 'callout-test-in-use', 'another-program']) {
      await mkdir(path.join(home, name, 'postgres'), { recursive: true });
    }
    await acquireProcessLock(path.join(home, 'callout-test-in-use', 'postgres', 'lock'));
    for (const name of await readdir(home)) await utimes(path.join(home, name), anHourAgo, anHourAgo);
    await mkdir(path.join(home, 'callout-test-new'));
    await removeAbandonedRuns(home);
    expect((await readdir(home)).toSorted()).toEqual(['another-program', 'callout-test-in-use', 'callout-test-new']);
  });
});
