import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publint } from 'publint';

const run = promisify(execFile);
const packages = path.resolve(import.meta.dirname, '../../..');

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'callout-packed-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** Packs a package that is built. @returns the tarball. */
async function packed(name: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', directory], {
    cwd: path.join(packages, name),
  });
  const [{ filename } = { filename: '' }] = JSON.parse(stdout) as { filename: string }[];
  return path.join(directory, filename);
}

describe.each(['client', 'receiver'])('@callout/%s', (name) => {
  it('can be published', async () => {
    const { messages } = await publint({ pkgDir: path.join(packages, name), strict: true, pack: 'npm' });
    expect(messages).toEqual([]);
  });

  it('has types that every resolution of ES modules finds', async () => {
    const found = await checkPackage(createPackageFromTarballData(await readFile(await packed(name))));
    if (found.types === false) throw new Error('the package has no types');
    // It is for ES modules: `require` of old Node and resolution without `exports` are not offered.
    const problems = found.problems.filter(
      (problem) => !('resolutionKind' in problem && ['node10', 'node16-cjs'].includes(problem.resolutionKind)),
    );
    expect(problems).toEqual([]);
  });
});
