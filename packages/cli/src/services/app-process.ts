import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeFlags } from '@callout/runtime/process/node-flags';
import type { Listening } from '@callout/runtime/process/notify-parent';
import { CannotGoOn, reasonOf } from '../cannot-go-on.ts';
import { logTail } from './log-tail.ts';
import { watchProgress, workOf } from './progress.ts';

export interface AppOptions {
  /** `API` or `worker`, for messages. */
  readonly name: string;
  /** The compiled main file. */
  readonly file: string;
  readonly env: Record<string, string | undefined>;
  /** Gets everything that the program prints, at the end of the file. */
  readonly logFile: string;
  /** The address of `/readyz`. */
  readonly port: number;
  /** Milliseconds after which a stopping process is killed. */
  readonly stopTimeoutMs: number;
  /** Node starts the program again when a loaded file changes. */
  readonly isDevelopment: boolean;
}

/** One of our two programs, running. The program stops when our process is gone. */
export interface AppProcess {
  /** A description of the end, with the end of the log. Resolves also after a stop. */
  readonly ended: Promise<string>;
  /**
   * Resolves when the program can do its work. Rejects when the program has ended, makes no progress for a minute, or
   * is not needed any more. On a busy machine a start takes minutes.
   */
  readonly ready: (stop: AbortSignal) => Promise<void>;
  /** Lets the program finish its work; a second call waits for the same stop. */
  readonly stop: () => Promise<void>;
}

const PATIENCE_MS = 60_000;
const ANSWER_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 50;

export async function startApp(options: AppOptions): Promise<AppProcess> {
  const log = await open(options.logFile, 'a', 0o600);
  const child = fork(options.file, [], {
    env: options.env,
    execArgv: [...nodeFlags, ...(options.isDevelopment ? ['--watch', '--enable-source-maps'] : [])],
    // A Ctrl-C in the terminal is for us alone: we decide in which order things stop.
    detached: true,
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  });
  await log.close();
  // When waiting is cancelled.
  const killNow = () => void child.kill('SIGKILL');
  process.once('exit', killNow);

  // Another program may respond on the port while ours is about to find the port in use. Under --watch the program is a
  // child of our child, whose messages do not reach us.
  let isListening = options.isDevelopment;
  child.on('message', (message: Partial<Listening>) => {
    if (message.listeningOn === options.port) isListening = true;
  });
  let hasEnded = false;
  const ended = (async () => {
    const how = await endOf(child);
    hasEnded = true;
    process.off('exit', killNow);
    return `The ${options.name} ${how}. The end of ${options.logFile}:\n${await logTail(options.logFile)}`;
  })();

  return {
    ended,
    async ready(stop) {
      const isMoving = watchProgress(PATIENCE_MS, Date.now);
      for (;;) {
        if (hasEnded) throw new CannotGoOn(await ended);
        const answer = isListening ? await requestIfReady(options.port) : 'it does not listen yet';
        stop.throwIfAborted();
        if (answer === 'ready') return;
        // Each answer makes it work: then the answer has to change.
        if (!isMoving(isListening ? answer : await workOf(child.pid, options.logFile))) {
          throw new CannotGoOn(
            `The ${options.name} is not ready and makes no progress for ${PATIENCE_MS / 1000} s: ${answer}. The end of ${options.logFile}:\n${await logTail(options.logFile)}`,
          );
        }
        await sleep(LOOK_EVERY_MS);
      }
    },
    async stop() {
      if (!hasEnded) child.kill('SIGTERM');
      const patience = setTimeout(killNow, options.stopTimeoutMs);
      await ended.finally(() => clearTimeout(patience));
    },
  };
}

async function endOf(child: ChildProcess): Promise<string> {
  try {
    const [status, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return signal === null ? `ended with status ${status}` : `was ended by ${signal}`;
  } catch (error) {
    return `could not be started: ${reasonOf(error)}`;
  }
}

/** @returns `ready`, or the reason why it is not. */
async function requestIfReady(port: number): Promise<string> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    const body = await response.text();
    return response.ok ? 'ready' : body;
  } catch (error) {
    // Not listening yet.
    return reasonOf(error);
  }
}
