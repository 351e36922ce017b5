import { randomBytes } from 'node:crypto';
import type { DataDirectory } from './data-directory.ts';

const FILE = 'redis-prefix';

/** How our keys begin in a Redis that belongs to others. Made once. */
export async function redisPrefixIn(directory: Pick<DataDirectory, 'read' | 'write'>): Promise<string> {
  const known = (await directory.read(FILE))?.trim();
  if (known) return known;
  const made = `callout-${randomBytes(8).toString('hex')}`;
  await directory.write(FILE, `${made}\n`);
  return made;
}
