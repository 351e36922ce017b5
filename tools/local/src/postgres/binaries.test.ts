import { chmod, cp, lstat, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../test-run/temporary-directory.fixture.ts';
import { type InstalledPostgres, installedPostgres, postgresBinaries } from './binaries.ts';

const dir = temporaryDirectory();

/** The installed package as npm unpacks it: without the links that its install script makes. */
async function unpacked(name: string): Promise<InstalledPostgres> {
  const { native, version } = await installedPostgres();
  const copy = { native: path.join(dir, name), version };
  // Without the templates of a cluster, which are most of the files: the programs only print their versions here.
  const filter = (source: string) => path.relative(native, source) !== 'share';
  await cp(native, copy.native, { recursive: true, verbatimSymlinks: true, filter });
  for (const link of await linksOf(copy.native)) await rm(link, { force: true });
  return copy;
}

async function linksOf(native: string): Promise<string[]> {
  const list = JSON.parse(await readFile(path.join(native, 'pg-symlinks.json'), 'utf8')) as { target: string }[];
  return list.map(({ target }) => path.join(native, path.relative('native', target)));
}

describe('postgresBinaries', () => {
  it('works in place after an installation without install scripts', async () => {
    const installed = await unpacked('in-place');
    const copies = path.join(dir, 'none');
    expect(await postgresBinaries(undefined, copies, installed)).toBe(installed.native);
    for (const link of await linksOf(installed.native)) expect((await lstat(link)).isSymbolicLink()).toBe(true);
    await expect(readdir(copies)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('makes one copy, once, where the installed ones cannot be run', async () => {
    const installed = await unpacked('not-executable');
    await chmod(path.join(installed.native, 'bin', 'postgres'), 0o644);
    const copies = path.join(dir, 'copies');
    const found = await Promise.all([1, 2].map(() => postgresBinaries(undefined, copies, installed)));
    expect(found[0]).toBe(found[1]);
    const [only = '', ...more] = await readdir(copies);
    expect([only, more]).toEqual([expect.stringContaining(installed.version), []]);
    const { ino } = await lstat(path.join(copies, only));
    expect(await postgresBinaries(undefined, copies, installed)).toBe(found[0]);
    expect((await lstat(path.join(copies, only))).ino).toBe(ino);
  });
});
