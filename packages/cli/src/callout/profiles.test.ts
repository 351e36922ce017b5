import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { forgetProfiles, keepProfile, profilesFile, readProfiles } from './profiles.ts';

let home: string;
beforeAll(async () => (home = await mkdtemp(path.join(tmpdir(), 'callout-profiles-'))));
afterAll(() => rm(home, { recursive: true }));

const account = { url: 'http://127.0.0.1', userName: 'crm', secret: 'secret', apiIntegrationCode: 'code' };
const names = Array.from({ length: 10 }, (_, at) => `profile${at}`);

describe('kept credentials', () => {
  it('are all there when several commands keep or forget some at the same time', async () => {
    const env = { XDG_CONFIG_HOME: home };
    await Promise.all(names.map((name) => keepProfile(env, name, account)));
    expect(Object.keys(await readProfiles(env)).toSorted()).toEqual(names);
    await Promise.all(names.slice(1).map((name) => forgetProfiles(env, [name])));
    expect(Object.keys(await readProfiles(env))).toEqual(names.slice(0, 1));
    expect(await readdir(path.dirname(profilesFile(env)))).toEqual(['credentials.json']);
    expect((await stat(profilesFile(env))).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(profilesFile(env)))).mode & 0o777).toBe(0o700);
  });

  it('can be changed after a command was killed while it did so', async () => {
    const env = { XDG_CONFIG_HOME: home };
    const lock = `${profilesFile(env)}.lock`;
    await writeFile(lock, '');
    await utimes(lock, new Date(0), new Date(0));
    await keepProfile(env, 'later', account);
    expect(Object.keys(await readProfiles(env))).toContain('later');
  });
});
