import { type Logger, logRepeats } from '@callout/runtime/log';
import type { ChoreMetrics } from '../metrics/chore-metrics.ts';

/** Something that is done now and then, and takes as long as it takes. */
export interface Chore {
  name: string;
  everyMs: number;
  /** @param isStopping asked between two parts of the work. */
  work: (isStopping: () => boolean) => Promise<void>;
}

export interface ChoresDeps {
  log: Logger;
  metrics: Pick<ChoreMetrics, 'onChore'>;
}

export interface Chores {
  /** Begins nothing more and waits for what is under way. */
  stop(): Promise<void>;
}

/** One that failed is tried again so soon. */
const retryMs = 60_000;

/** Does each chore now and then, each for itself: one that takes long, or fails again and again, keeps no other waiting. */
export function startChores(chores: readonly Chore[], { log, metrics }: ChoresDeps): Chores {
  let isStopping = false;
  const timers = new Map<string, NodeJS.Timeout>();
  const underWay = new Map<string, Promise<void>>();

  async function once({ name, everyMs, work }: Chore, onError: (error: unknown) => void): Promise<number> {
    const startedAtMs = performance.now();
    try {
      await work(() => isStopping);
      metrics.onChore(name, performance.now() - startedAtMs, true);
      return everyMs;
    } catch (error) {
      metrics.onChore(name, performance.now() - startedAtMs, false);
      onError(error);
      return Math.min(retryMs, everyMs);
    }
  }

  function begin(chore: Chore, onError: (error: unknown) => void): void {
    underWay.set(chore.name, run(chore, onError));
  }

  async function run(chore: Chore, onError: (error: unknown) => void): Promise<void> {
    const waitMs = await once(chore, onError);
    if (!isStopping) timers.set(chore.name, setTimeout(begin, waitMs, chore, onError));
  }

  for (const chore of chores) begin(chore, logRepeats(log, `the chore '${chore.name}' failed; it is tried again`));
  return {
    async stop() {
      isStopping = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all(underWay.values());
    },
  };
}
