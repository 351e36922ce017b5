import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { builtMain, PACKAGES } from './built-app.ts';

const projects: string[] = [];
afterAll(() => Promise.all(projects.map((dir) => rm(dir, { recursive: true }))));

const PARTS = [...PACKAGES, 'apps/api'];

/** A project with one source in each part, built a minute later. */
async function aProject(): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'callout-built-'));
  projects.push(root);
  for (const part of PARTS) {
    await write(root, `${part}/src/deep/one.ts`, 0);
    await write(root, `${part}/dist/.tsbuildinfo`, 60);
  }
  return root;
}

async function write(root: string, file: string, ageS: number): Promise<void> {
  const absolute = path.join(root, file);
  await mkdir(path.dirname(absolute), { recursive: true });
  await writeFile(absolute, '');
  await utimes(absolute, 1_700_000_000 + ageS, 1_700_000_000 + ageS);
}

describe('builtMain', () => {
  it('names the program of an app whose every part is newer than its sources', async () => {
    const root = await aProject();
    expect(await builtMain('api', root)).toBe(path.join(root, 'apps/api/dist/main.js'));
  });

  it.each(PARTS)('says what to do when %s is not built', async (part) => {
    const root = await aProject();
    await rm(path.join(root, part, 'dist'), { recursive: true });
    await expect(builtMain('api', root)).rejects.toThrow(`${part} is not built. These tests drive the built processes`);
  });

  it.each(PARTS)('says what to do when a source of %s has changed since', async (part) => {
    const root = await aProject();
    await write(root, `${part}/src/deep/one.ts`, 61);
    await expect(builtMain('api', root)).rejects.toThrow(
      `${part} is older than its source src/deep/one.ts. These tests drive the built processes: run "npm run build"`,
    );
  });

  it('does not mind a newer test: it is no part of the program', async () => {
    const root = await aProject();
    await write(root, 'apps/api/src/one.test.ts', 61);
    await expect(builtMain('api', root)).resolves.toContain('main.js');
  });
});
