import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ifCode } from '../error-code.ts';
import { endLeftover } from '../process/leftover.ts';

/** No process has this id: process ids end far below. */
const UNUSED_PID = 2_147_483_646;

/**
 * Allows a start on files whose supervisor is gone. A stale postmaster.pid whose process id belongs to another program
 * by now would make PostgreSQL refuse to start: so it gets an id that no process has. The rest of the file stays,
 * because PostgreSQL finds leftover backends by the shared memory named in it.
 */
export async function clearOrphan(pgData: string): Promise<void> {
  const file = path.join(pgData, 'postmaster.pid');
  const text = await readFile(file, 'utf8').catch(ifCode('ENOENT', undefined));
  if (text === undefined) return;
  const [pid, ...rest] = text.split('\n');
  if ((await endLeftover(Number(pid), pgData, 'SIGINT')) === 'stranger') {
    await writeFile(file, [String(UNUSED_PID), ...rest].join('\n'));
  }
}
