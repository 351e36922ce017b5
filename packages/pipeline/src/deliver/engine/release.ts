import { setTimeout as sleep } from 'node:timers/promises';
import type { LongBodies } from '../../payload/long-bodies.ts';
import type { Delivery } from './delivery.ts';
import type { Lanes } from './lanes.ts';

export interface ReleaseDeps {
  readonly release: Delivery['release'];
  readonly lanes: Pick<Lanes, 'start' | 'capacityFor' | 'inFlight'>;
  readonly longBodies: LongBodies;
  readonly maxInFlight: number;
  readonly onError: (error: unknown) => void;
}

/** The threshold counts in seconds, so there is capacity again at most once a second... */
const everyMs = 1_000;
/** ...and then perhaps for more callouts than there were slots. */
const soonMs = 50;

/**
 * Sends held callouts when the threshold has capacity again. Each worker that delivers looks on a timer, so nothing in
 * Redis depends on the release.
 */
export function startRelease({ release, lanes, longBodies, maxInFlight, onError }: ReleaseDeps) {
  const stopping = new AbortController();

  async function round(): Promise<number> {
    const free = maxInFlight - lanes.inFlight;
    if (free <= 0) return 0;
    const released = await release((webhookKey) => lanes.capacityFor(webhookKey), free, longBodies);
    lanes.start(released);
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
    /** Releases nothing more. */
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
}
