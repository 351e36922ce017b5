import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { hasCode } from '../error-code.ts';

/** An account of this machine, by number. */
export interface SystemUser {
  uid: number;
  gid: number;
}

/**
 * PostgreSQL refuses to run as root. The present owner of the data stays its owner; otherwise `postgres`, where the
 * machine has that account, or `nobody`.
 * @param existingData a path whose owner is preferred; need not exist.
 * @returns the account to run PostgreSQL with, or undefined when we are an ordinary user and run it ourselves.
 */
export async function unprivilegedUser(existingData: string): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(existingData).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const account = ['postgres', 'nobody']
    .map((name) => accounts.find((fields) => fields[0] === name))
    .find((fields) => fields !== undefined);
  if (!account)
    throw new Error('PostgreSQL refuses to run as root, and there is neither a user "postgres" nor "nobody".');
  return { uid: Number(account[2]), gid: Number(account[3]) };
}

/**
 * Whether this user can access that directory. The system itself decides: modes alone are not enough (0700 parents,
 * ACLs).
 */
export async function canAccess(user: SystemUser, directory: string): Promise<boolean> {
  return succeeds('/bin/sh', ['-c', 'cd -- "$0"', directory], user);
}

/** Whether a command, run as this user (or as ourselves), ends with 0. */
export async function succeeds(
  command: string,
  args: readonly string[],
  user: SystemUser | undefined,
): Promise<boolean> {
  const child = spawn(command, args, { ...(user && { uid: user.uid, gid: user.gid }), cwd: '/', stdio: 'ignore' });
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code === 0;
  } catch (error) {
    // Not executable, or not reachable, for that user.
    if (hasCode(error, 'EACCES', 'ENOENT')) return false;
    throw error;
  }
}
