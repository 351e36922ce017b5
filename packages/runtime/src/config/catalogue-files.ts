import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** A catalogue file that was read, and not yet parsed: only the catalogue interprets it. */
export interface CatalogueFile {
  /** The name of the file, for errors. */
  readonly name: string;
  readonly text: string;
}

/** The files of Callout's own entities, which every installation has: callers, and the health of webhooks. */
const always = ['resources.json', 'webhook-health.json'];

/**
 * Every `*.json` file of a directory in the order of their names, after the files of Callout's own entities that the
 * directory has none for.
 * @param ownDirectory the catalogue that is part of Callout.
 * @throws an Error that says what to do, when the directory holds no catalogue.
 */
export async function readCatalogueFiles(directory: string, ownDirectory: string): Promise<CatalogueFile[]> {
  const entries = await readdir(directory).catch((cause: unknown) => {
    throw new Error(
      `The catalogue ${directory} cannot be read: it must be a directory with one .json file per entity`,
      {
        cause,
      },
    );
  });
  const names = entries.filter((name) => name.endsWith('.json') && !name.endsWith('.schema.json')).toSorted();
  if (names.length === 0) throw new Error(`${directory} holds no catalogue: expected one .json file per entity`);
  const added = always.filter((name) => !names.includes(name));
  const files = [
    ...added.map((name) => [ownDirectory, name] as const),
    ...names.map((name) => [directory, name] as const),
  ];
  return Promise.all(
    files.map(async ([from, name]) => ({ name, text: await readFile(path.join(from, name), 'utf8') })),
  );
}
