import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * kill -9 to a process and its children, as if the machine had died. Killed alone, the parent would leave children behind
 * that wait for it with open connections; killed first, they would be replaced.
 */
export async function killTree(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  for (const child of await childrenOf(pid)) kill(child);
  process.kill(pid, 'SIGKILL');
}

async function childrenOf(pid: number): Promise<number[]> {
  const listed = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => undefined);
  // Where there is no such file (macOS), the system has this program.
  const text = listed ?? (await run('pgrep', ['-P', String(pid)])).stdout;
  return text.split(/\s+/).filter(Boolean).map(Number);
}

/** One that ended meanwhile needs no killing. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(typeof error === 'object' && error !== null && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
