import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * The parsed JSON of every `*.json` file of a directory, in the order of their names. Only the catalogue interprets
 * them. Throws an error that names the directory or the file at fault.
 */
export async function readCatalogueFiles(directory: string): Promise<unknown[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.json')).toSorted();
  if (names.length === 0) throw new Error(`${directory} holds no catalogue: expected one .json file per entity`);
  return Promise.all(names.map((name) => readJson(path.join(directory, name))));
}

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not JSON`, { cause });
  }
}
