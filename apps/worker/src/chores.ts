import type { Logger } from '@callout/runtime';

/** Something that is done now and then, and takes as long as it takes. */
export interface Chore {
  name: string;
  everyMs: number;
  /** @param isStopping asked between two parts of the work. */
  work: (isStopping: () => boolean) => Promise<void>;
}

export interface Chores {
  /** Begins nothing more and waits for what is under way. */
  stop(): Promise<void>;
}

/** One that failed is tried again so soon. */
const retryMs = 60_000;

/** Does each chore now and then, each for itself: one that takes long, or fails again and again, keeps no other waiting. */
export function startChores(chores: readonly Chore[], log: Logger): Chores {
  let isStopping = false;
  const timers = new Map<string, NodeJS.Timeout>();
  const underWay = new Map<string, Promise<void>>();

  async function once({ name, everyMs, work }: Chore): Promise<number> {
    try {
      await work(() => isStopping);
      return everyMs;
    } catch (err) {
      log.warn({ err, chore: name }, 'a chore failed; it is tried again');
      return Math.min(retryMs, everyMs);
    }
  }

  function begin(chore: Chore): void {
    underWay.set(chore.name, run(chore));
  }

  async function run(chore: Chore): Promise<void> {
    const waitMs = await once(chore);
    if (!isStopping) timers.set(chore.name, setTimeout(begin, waitMs, chore));
  }

  for (const chore of chores) begin(chore);
  return {
    async stop() {
      isStopping = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all(underWay.values());
    },
  };
}
