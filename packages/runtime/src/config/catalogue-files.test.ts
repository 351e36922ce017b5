import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readCatalogueFiles } from './catalogue-files.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'callout-catalogue-'));
});
afterEach(() => rm(directory, { recursive: true }));

describe('readCatalogueFiles', () => {
  it('reads every .json file in the order of the names', async () => {
    await writeFile(path.join(directory, 'b.json'), '{"collection":"B"}');
    await writeFile(path.join(directory, 'a.json'), '{"collection":"A"}');
    await writeFile(path.join(directory, 'README.md'), 'not one');
    await expect(readCatalogueFiles(directory)).resolves.toEqual([{ collection: 'A' }, { collection: 'B' }]);
  });

  it('names the file that is not JSON', async () => {
    await writeFile(path.join(directory, 'broken.json'), '{');
    await expect(readCatalogueFiles(directory)).rejects.toThrow(/broken\.json is not JSON/);
  });

  it('refuses a directory without a catalogue', async () => {
    await expect(readCatalogueFiles(directory)).rejects.toThrow(/holds no catalogue/);
  });
});
