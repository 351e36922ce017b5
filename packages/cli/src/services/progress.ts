import { readFile, stat } from 'node:fs/promises';

/**
 * Distinguishes a slow process from a stuck process.
 * @param patienceMs how long the sign of progress may stay the same.
 * @returns a function that takes the sign, and returns whether there was progress within the time.
 */
export function watchProgress(patienceMs: number, nowMs: () => number): (sign: string) => boolean {
  let last: string | undefined;
  let sinceMs = nowMs();
  return (sign) => {
    if (sign !== last) [last, sinceMs] = [sign, nowMs()];
    return nowMs() - sinceMs < patienceMs;
  };
}

/** Differs when a process has used CPU time, where the system shows CPU time (Linux), or written to the log. */
export async function workOf(pid: number | undefined, logFile: string): Promise<string> {
  const [status, log] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''),
    stat(logFile).catch(() => undefined),
  ]);
  // Behind the name, which may hold anything in parentheses: CPU time of the program and of the system.
  const [user, system] = status.slice(status.lastIndexOf(')')).split(' ').slice(12, 14);
  return `${user} ${system} ${log?.size}`;
}
