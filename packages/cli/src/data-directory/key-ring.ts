import { randomBytes } from 'node:crypto';
import type { DataDirectory } from './data-directory.ts';

const FILE = 'key-ring';

/**
 * The key ring of webhook secrets, in the form of `SECRET_KEYS`. Made once: without it, the secrets of the webhooks in
 * the database can never be read again.
 */
export async function keyRingIn(directory: Pick<DataDirectory, 'read' | 'write'>): Promise<string> {
  const known = (await directory.read(FILE))?.trim();
  if (known) return known;
  const made = `local:${randomBytes(32).toString('base64')}`;
  await directory.write(FILE, `${made}\n`);
  return made;
}
