import { setTimeout as sleep } from 'node:timers/promises';
import type { App, AppProcess, Installation, Settings } from '@callout/testing';

/** The slot of one process, as a supervisor has it: a process that ends is started again. */
export interface Slot {
  readonly name: string;
  /** Where it listens; undefined while it is down. */
  port(): number | undefined;
  /** Starts it and waits until it is ready; again and again when it cannot, because the database is away. */
  start(): Promise<void>;
  /** Ends it with a signal and starts it again after a while. */
  restart(signal: 'SIGTERM' | 'SIGKILL', downMs: number): Promise<void>;
  /** Freezes it with all its resources, and continues it after a while. */
  freeze(forMs: number): Promise<void>;
  /** Stops it permanently. @returns its exit status; null for a killed one. */
  stop(): Promise<number | null>;
  /** The number of times it ended by itself. No fault of another process is a reason for that. */
  crashes(): readonly string[];
}

const TRIES = 200;
const BEFORE_NEXT_TRY_MS = 250;

/** @param settings of this process alone. */
export function createSlot(installation: Installation, app: App, name: string, settings: Settings = {}): Slot {
  const crashes: string[] = [];
  let current: AppProcess | undefined;
  let port: number | undefined;
  let underWay: Promise<unknown> = Promise.resolve();

  /** One thing after another: a process that is being restarted is not frozen, and not restarted a second time. */
  function exclusive<T>(act: () => Promise<T>): Promise<T> {
    const result = underWay.then(act);
    underWay = result.catch(() => undefined);
    return result;
  }

  async function bringUp(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const process = installation.start(app, name, settings);
      try {
        port = await process.ready();
        current = process;
        void watch(process);
        return;
      } catch (error) {
        if (tries === TRIES) throw error;
      }
      await sleep(BEFORE_NEXT_TRY_MS);
    }
  }

  async function takeDown(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const process = current;
    current = undefined;
    await process?.signal(signal);
    // Until then clients may still be sent there, as by a load balancer that has not noticed yet.
    port = undefined;
    return (await process?.exit)?.code ?? null;
  }

  async function watch(process: AppProcess): Promise<void> {
    const { code, signal } = await process.exit;
    if (process !== current) return;
    crashes.push(`${name} ended by itself with ${signal ?? code}`);
    await exclusive(async () => {
      if (process === current) await bringUp();
    }).catch((error: unknown) => crashes.push(String(error)));
  }

  return {
    name,
    port: () => port,
    crashes: () => crashes,
    start: () => exclusive(bringUp),
    stop: () => exclusive(() => takeDown('SIGTERM')),
    restart: (signal, downMs) =>
      exclusive(async () => {
        await takeDown(signal);
        await sleep(downMs);
        await bringUp();
      }),
    freeze: (forMs) =>
      exclusive(async () => {
        await current?.signal('SIGSTOP');
        await sleep(forMs);
        await current?.signal('SIGCONT');
      }),
  };
}
