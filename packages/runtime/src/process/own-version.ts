import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** The version of Callout, from its package. */
export async function ownVersion(): Promise<string> {
  const file = path.resolve(import.meta.dirname, '../../../../package.json');
  return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version;
}
