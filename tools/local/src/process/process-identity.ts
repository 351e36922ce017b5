import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { hasCode } from '../error-code.ts';

const run = promisify(execFile);

/**
 * Names one run of a process: process ids are used again (in a container the same ones after every restart), start
 * times are not.
 *
 * @returns a text that differs for every process that ever has this id, or undefined when no such process lives.
 */
export async function processIdentity(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(ifGone);
    if (stat === undefined) return undefined;
    // "pid (command) state ppid …": the command may contain blanks and brackets, so count from the last bracket.
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    const startedAtTicks = rest[18];
    const bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
    return `${bootId}/${startedAtTicks}`;
  }
  return ps(pid, 'lstart=');
}

/** The command line of a living process, or undefined when there is none with this id. */
export async function commandLine(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(ifGone);
    return line === undefined || line === '' ? undefined : line.replaceAll('\0', ' ').trim();
  }
  return ps(pid, 'command=');
}

async function ps(pid: number, column: string): Promise<string | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', column, '-p', String(pid)], {
      env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
    });
    return stdout.trim() || undefined;
  } catch (error) {
    // ps ends with 1 when it knows no such process.
    if (hasCode(error, '1')) return undefined;
    throw error;
  }
}

function ifGone(error: unknown): undefined {
  if (hasCode(error, 'ENOENT', 'ESRCH')) return undefined;
  throw error;
}
