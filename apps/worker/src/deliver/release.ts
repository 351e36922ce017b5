import { setTimeout as sleep } from 'node:timers/promises';
import type { Lanes } from './lanes/lanes.ts';
import type { LeasedCallout } from './lease.ts';

export interface ReleaseDeps {
  /** Leases held callouts for which their threshold has room again, at most so many. */
  release: (slotsOf: (webhookKey: number) => number, atMost: number) => Promise<LeasedCallout[]>;
  lanes: Pick<Lanes, 'take' | 'roomFor' | 'inFlight'>;
  maxInFlight: number;
  onError: (error: unknown) => void;
}

export interface Release {
  /** Releases nothing more. */
  stop(): Promise<void>;
}

/** The threshold counts by the second, so it has room again at most once a second... */
const everyMs = 1_000;
/** ...and then perhaps for more than there were slots. */
const soonMs = 50;

/**
 * Sends what the threshold held back, as it has room again. Every worker that delivers looks on a timer: nothing in Redis
 * has to remember that callouts are held.
 */
export function startRelease({ release, lanes, maxInFlight, onError }: ReleaseDeps): Release {
  const stopping = new AbortController();

  async function round(): Promise<number> {
    const free = maxInFlight - lanes.inFlight();
    if (free <= 0) return 0;
    const released = await release((webhookKey) => lanes.roomFor(webhookKey), free);
    lanes.take(released);
    return released.length;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const released = await round().catch((error: unknown) => {
        onError(error);
        return 0;
      });
      await sleep(released > 0 ? soonMs : everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
