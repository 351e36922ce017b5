import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ifCode } from '../error-code.ts';
import { canEnter, type SystemUser } from '../process/system-user.ts';

/** For root only: what another user has to reach while the checkout may be closed to it. */
export const SHARED_PLACE = '/var/lib/callout-local';

/**
 * The directory that holds the database files: the caller's own or, where the user PostgreSQL runs as cannot enter that
 * (a checkout in a home of mode 0700), one in /var/lib that belongs to the caller's alone.
 */
export async function placeFor(dataDir: string, user: SystemUser | undefined): Promise<string> {
  if (!user) return dataDir;
  // Passing through is enough: it may not list what is here, and our own files in here are 0600.
  await chmod(dataDir, 0o711);
  if (await canEnter(user, dataDir)) return dataDir;
  const outside = path.join(SHARED_PLACE, await ownName(dataDir));
  await mkdir(outside, { recursive: true, mode: 0o711 });
  await chmod(SHARED_PLACE, 0o755);
  await chmod(outside, 0o711);
  return outside;
}

/**
 * Two checkouts do not share: the name holds the path, so a copied checkout begins with an empty database, and a mark
 * kept in the data directory, so does one whose data directory was deleted.
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
