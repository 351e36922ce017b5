import { setTimeout as sleep } from 'node:timers/promises';
import { commandLine } from './process-identity.ts';

/** How long a leftover server may take to end; beyond that it is named in an error. */
const PATIENCE_MS = 30_000;

/**
 * Ends a server of an earlier run, whose supervisor is known to be gone (its lock is ours now), and waits for it: it may
 * be in the course of ending, or its watcher was killed too.
 *
 * @param mark part of the command line of that server and of no other program: a path of its own.
 * @returns `gone` when no process has this id (any more), `stranger` when another program has it by now.
 */
export async function endLeftover(
  pid: number,
  mark: string,
  signal: 'SIGINT' | 'SIGTERM',
): Promise<'gone' | 'stranger'> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let isAsked = false; ; isAsked = true) {
    const command = await commandLine(pid);
    if (command === undefined) return 'gone';
    if (!command.includes(mark)) return isAsked ? 'gone' : 'stranger';
    if (Date.now() > deadline) throw new Error(`a server left over from an earlier run does not end: process ${pid}`);
    if (!isAsked) process.kill(pid, signal);
    await sleep(20);
  }
}
