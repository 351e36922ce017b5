import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readCatalogueFiles } from './catalogue-files.ts';

let directory: string;
let ownDirectory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'callout-catalogue-'));
  ownDirectory = path.join(directory, 'own');
  await mkdir(ownDirectory);
  for (const name of ['companies.json', 'resources.json', 'webhook-health.json'])
    await writeFile(path.join(ownDirectory, name), `own ${name}`);
});
afterEach(() => rm(directory, { recursive: true }));

describe('readCatalogueFiles', () => {
  it('reads every .json file in the order of the names, after the entities of Callout itself', async () => {
    await writeFile(path.join(directory, 'b.json'), 'B');
    await writeFile(path.join(directory, 'a.json'), 'A');
    await writeFile(path.join(directory, 'catalogue.schema.json'), 'the schema');
    await writeFile(path.join(directory, 'README.md'), 'no entity');
    await expect(readCatalogueFiles(directory, ownDirectory)).resolves.toEqual([
      { name: 'resources.json', text: 'own resources.json' },
      { name: 'webhook-health.json', text: 'own webhook-health.json' },
      { name: 'a.json', text: 'A' },
      { name: 'b.json', text: 'B' },
    ]);
  });

  it('takes a file of the directory in place of one of Callout itself', async () => {
    await writeFile(path.join(directory, 'resources.json'), 'other resources');
    const files = await readCatalogueFiles(directory, ownDirectory);
    expect(files.filter(({ name }) => name === 'resources.json')).toEqual([
      { name: 'resources.json', text: 'other resources' },
    ]);
  });

  it('refuses a directory without a catalogue, and one that is not there', async () => {
    await expect(readCatalogueFiles(directory, ownDirectory)).rejects.toThrow(/holds no catalogue/);
    await expect(readCatalogueFiles(path.join(directory, 'gone'), ownDirectory)).rejects.toThrow(
      /gone cannot be read: it must be a directory with one \.json file per entity/,
    );
  });
});
