import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@callout/domain/problem';

export type Env = Readonly<Record<string, string | undefined>>;

/** The address of an API, and the credential for it. */
export interface Account {
  /** Ends with the API root: `https://callout.example.com/atservicesrest`. */
  readonly url: string;
  readonly userName: string;
  readonly secret: string;
  readonly apiIntegrationCode: string;
}

/** Kept credentials by the names of their profiles. */
export type Profiles = Readonly<Record<string, Account>>;

/** The file of `callout login`, in the configuration directory of the user (XDG). */
export function profilesFile(env: Env): string {
  const base = env['XDG_CONFIG_HOME'] || path.join(env['HOME'] ?? homedir(), '.config');
  return path.join(base, 'callout', 'credentials.json');
}

export async function readProfiles(env: Env): Promise<Profiles> {
  const file = profilesFile(env);
  try {
    const { profiles } = JSON.parse(await readFile(file, 'utf8')) as { profiles?: Profiles };
    return Object.assign(Object.create(null) as object, profiles);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Object.create(null) as Profiles;
    const message = `${file} cannot be read: remove it, and run \`callout login\` again`;
    throw new Problem('invalid', [{ code: 'invalid', message }], { cause: error });
  }
}

/** Keeps an account where only the user can read it. @returns the path of the file. */
export async function keepProfile(env: Env, name: string, { url, userName, secret, apiIntegrationCode }: Account) {
  const account = { url, userName, secret, apiIntegrationCode };
  return withLock(env, async () => write(env, { ...(await readProfiles(env)), [name]: account }));
}

/** Deletes profiles. @returns the names that existed. */
export async function forgetProfiles(env: Env, names: readonly string[]): Promise<string[]> {
  if (Object.keys(await readProfiles(env)).length === 0) return [];
  return withLock(env, async () => {
    const kept = Object.entries(await readProfiles(env));
    const rest = kept.filter(([name]) => !names.includes(name));
    if (rest.length === 0) await rm(profilesFile(env), { force: true });
    else if (rest.length < kept.length) await write(env, Object.fromEntries(rest));
    return kept.map(([name]) => name).filter((name) => names.includes(name));
  });
}

/** A command needs the lock for milliseconds: an older lock was left by a command that was killed. */
const oldLockMs = 5_000;

/**
 * Commands change the file in turn: of two commands that read before writing, the second would undo the change of the
 * first.
 */
async function withLock<T>(env: Env, change: () => Promise<T>): Promise<T> {
  const lock = `${profilesFile(env)}.lock`;
  await mkdir(path.dirname(lock), { recursive: true, mode: 0o700 });
  for (;;) {
    try {
      await writeFile(lock, '', { mode: 0o600, flag: 'wx' });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const madeAt = await stat(lock).then(
        ({ mtimeMs }) => mtimeMs,
        () => Date.now(),
      );
      if (Date.now() - madeAt > oldLockMs) await rm(lock, { force: true });
      else await sleep(20);
    }
  }
  try {
    return await change();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Writes a new file that replaces the old file: a reader sees either, and neither was ever readable by others. */
async function write(env: Env, profiles: Profiles): Promise<string> {
  const file = profilesFile(env);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${JSON.stringify({ profiles }, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(draft, file);
  return file;
}
