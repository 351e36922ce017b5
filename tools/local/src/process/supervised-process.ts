import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { hasCode } from '../error-code.ts';
import type { SystemUser } from './system-user.ts';

export interface SupervisedCommand {
  command: string;
  args: readonly string[];
  /** The signal that ends the server cleanly. */
  stopSignal: 'INT' | 'TERM';
  /** Receives everything the server prints; truncated at every start. */
  logFile: string;
  /** Run as this user instead of the present one. */
  user?: SystemUser | undefined;
}

export interface SupervisedProcess {
  /** Resolves when the server has ended, for any reason. */
  ended: Promise<void>;
  hasEnded: () => boolean;
  /** Asks the server to end and waits until it has; kills it when it has not within 30 s. */
  stop: () => Promise<void>;
}

/**
 * Runs beside the server, holding the read end of our pipe: when the pipe closes, because we stop or because we die
 * (also by kill -9), it asks the server to end. `wait` returns the server's own status when it ends by itself.
 */
const WATCH = `
exec 3<&0 </dev/null
signal=$1; shift
"$@" 3<&- &
server=$!
{ cat <&3 >/dev/null; kill -s "$signal" "$server"; } 2>/dev/null &
watcher=$!
exec 3<&-
wait "$server"; status=$?
kill "$watcher" 2>/dev/null
exit "$status"
`;

const PATIENCE_MS = 30_000;

/**
 * Starts a server that never outlives this process. It gets no environment of ours: PGOPTIONS and the like stay out.
 */
export async function startSupervised(server: SupervisedCommand): Promise<SupervisedProcess> {
  const log = await open(server.logFile, 'w', 0o600);
  try {
    const watcher = spawn('/bin/sh', ['-c', WATCH, 'watch', server.stopSignal, server.command, ...server.args], {
      ...(server.user && { uid: server.user.uid, gid: server.user.gid }),
      cwd: '/', // the other user may not be allowed to stand where we do
      env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
      detached: true, // a Ctrl-C in the terminal reaches us alone: we decide in which order things stop
      stdio: ['pipe', log.fd, log.fd],
    });
    return await supervised(watcher);
  } finally {
    await log.close();
  }
}

async function supervised(watcher: ChildProcess): Promise<SupervisedProcess> {
  const lifeline = watcher.stdin;
  if (lifeline === null) throw new Error('started without the pipe that ends it');
  // The pipe may break under our hands when the server ends first.
  lifeline.on('error', () => undefined);
  let isOver = false;
  const ended = (async () => {
    await once(watcher, 'exit');
    isOver = true;
    lifeline.destroy();
  })();
  await once(watcher, 'spawn');
  return {
    ended,
    hasEnded: () => isOver,
    stop: async () => {
      lifeline.end();
      const patience = setTimeout(() => killGroup(watcher), PATIENCE_MS);
      await ended.finally(() => clearTimeout(patience));
    },
  };
}

/** The watcher, the server and their children: they are a process group of their own. */
function killGroup(watcher: ChildProcess): void {
  try {
    if (watcher.pid !== undefined) process.kill(-watcher.pid, 'SIGKILL');
  } catch (error) {
    // Ended in the meantime.
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
