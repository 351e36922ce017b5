import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { ifCode } from '../error-code.ts';
import type { SystemUser } from '../process/system-user.ts';

const run = promisify(execFile);

/** The superuser of a local cluster. */
export const SUPERUSER = 'callout';

/** How the names of clusters begin that are not finished. */
const DRAFT = 'pgdata.new';

export interface Cluster {
  /** PostgreSQL's name for its data directory. */
  pgData: string;
  /** Of SUPERUSER; made at random, kept beside the cluster in a file of mode 0600. */
  password: string;
}

/** Where the files of the cluster are, whether or not they exist. */
export function pgDataIn(place: string): string {
  return path.join(place, 'pgdata');
}

/**
 * The cluster in this folder; made when there is none. Either complete or absent: one that a crash interrupted is made
 * again.
 */
export async function ensureCluster(place: string, binaries: string, user: SystemUser | undefined): Promise<Cluster> {
  const pgData = pgDataIn(place);
  const passwordFile = path.join(place, 'password');
  if (await stat(pgData).catch(ifCode('ENOENT', undefined))) {
    const password = await readFile(passwordFile, 'utf8').catch(ifCode('ENOENT', undefined));
    if (password === undefined) {
      throw new Error(
        `${passwordFile} is missing, and without it there is no login to ${pgData}. Remove ${place} to start afresh.`,
      );
    }
    return { pgData, password };
  }
  const password = randomBytes(24).toString('base64url');
  await writeFile(passwordFile, password, { mode: 0o600 });
  await initialise(place, pgData, binaries, user, password);
  return { pgData, password };
}

async function initialise(
  place: string,
  pgData: string,
  binaries: string,
  user: SystemUser | undefined,
  password: string,
): Promise<void> {
  // A name of its own: the initdb of a run killed a moment ago may still be writing into its draft.
  const draft = path.join(place, `${DRAFT}-${randomUUID()}`);
  const handOver = path.join(place, 'password.new'); // initdb reads it as the other user; gone when it has
  for (const name of await readdir(place)) {
    if (name.startsWith(DRAFT)) await rm(path.join(place, name), { recursive: true, force: true });
  }
  await rm(handOver, { force: true });
  await mkdir(draft, { mode: 0o700 });
  await writeFile(handOver, password, { mode: 0o600 });
  if (user) await Promise.all([chown(draft, user.uid, user.gid), chown(handOver, user.uid, user.gid)]);
  const collation = ['--encoding=UTF8', ...(await localeArguments(binaries))];
  const login = [`--username=${SUPERUSER}`, '--auth=scram-sha-256', `--pwfile=${handOver}`];
  try {
    await run(
      path.join(binaries, 'bin', 'initdb'),
      [`--pgdata=${draft}`, ...login, ...collation, '--no-instructions'],
      {
        ...(user && { uid: user.uid, gid: user.gid }),
        cwd: '/',
        env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
      },
    );
  } finally {
    await rm(handOver, { force: true });
  }
  await rename(draft, pgData);
}

/**
 * Lower and upper case of all of Unicode (under --locale=C alone, lower('É') stays 'É'), sorted by code point: the same
 * on every machine, with any locales. Before PostgreSQL 17 it is the machine's own.
 */
async function localeArguments(binaries: string): Promise<string[]> {
  const { stdout } = await run(path.join(binaries, 'bin', 'initdb'), ['--version'], { cwd: '/' });
  const [, major] = / (\d+)/.exec(stdout) ?? [];
  if (Number(major) < 17) return ['--locale=C.UTF-8'];
  return ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
}
