import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ifCode } from '../error-code.ts';
import { canAccess, type SystemUser } from '../process/system-user.ts';

/** For root only: paths that another user must access while the checkout may be closed to it. */
export const SHARED_PLACE = '/var/lib/callout-local';

/**
 * The directory of the database files: the caller's own or, where the user of PostgreSQL cannot access that (a checkout
 * in a home of mode 0700), one in /var/lib that belongs to the caller's alone.
 */
export async function placeFor(dataDir: string, user: SystemUser | undefined): Promise<string> {
  if (!user) return dataDir;
  // Access through it is enough: the user may not list it, and our own files in here are 0600.
  await chmod(dataDir, 0o711);
  if (await canAccess(user, dataDir)) return dataDir;
  const outside = path.join(SHARED_PLACE, await ownName(dataDir));
  await mkdir(outside, { recursive: true, mode: 0o711 });
  await chmod(SHARED_PLACE, 0o755);
  await chmod(outside, 0o711);
  return outside;
}

/**
 * Two checkouts do not share: the name contains the path, so a copied checkout begins with an empty database, and a
 * mark kept in the data directory, so does one whose data directory was deleted.
 */
async function ownName(dataDir: string): Promise<string> {
  const file = path.join(dataDir, 'elsewhere');
  const known = await readFile(file, 'utf8').catch(ifCode('ENOENT', undefined));
  const mark = known ?? randomUUID();
  if (known === undefined) await writeFile(file, mark, { mode: 0o600 });
  return createHash('sha256')
    .update(`${mark}\0${await realpath(dataDir)}`)
    .digest('hex')
    .slice(0, 24);
}
