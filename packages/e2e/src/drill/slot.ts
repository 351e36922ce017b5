import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../process/built-app.ts';
import type { AppProcess } from '../process/app-process.ts';
import type { Installation } from '../process/installation.ts';

/** The place of one process, as a supervisor keeps it: what ends is started again. */
export interface Slot {
  readonly name: string;
  /** Where it listens; undefined while it is down. */
  port(): number | undefined;
  /** Starts it and waits until it is ready; again and again when it cannot, because the database is away. */
  start(): Promise<void>;
  /** Ends it with a signal and waits until it has ended. @returns its exit status; null for a killed one. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
  /** Stops it where it stands, with all it holds, and lets it go on after a while. */
  freeze(forMs: number): Promise<void>;
}

const TRIES = 20;
const BEFORE_NEXT_TRY_MS = 250;

export function createSlot(installation: Installation, app: App, name: string): Slot {
  let process: AppProcess | undefined;
  let port: number | undefined;
  return {
    name,
    port: () => port,
    async start() {
      for (let tries = 1; ; tries += 1) {
        process = installation.start(app, name);
        try {
          port = await process.ready();
          return;
        } catch (error) {
          if (tries === TRIES) throw error;
        }
        await sleep(BEFORE_NEXT_TRY_MS);
      }
    },
    async end(signal) {
      // A client may still be told the port until the process is gone, as with a load balancer.
      await process?.signal(signal);
      port = undefined;
      return (await process?.exit)?.code ?? null;
    },
    async freeze(forMs) {
      await process?.signal('SIGSTOP');
      await sleep(forMs);
      await process?.signal('SIGCONT');
    },
  };
}
