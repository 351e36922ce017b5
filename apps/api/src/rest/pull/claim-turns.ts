import { createPermits } from '@callout/runtime/concurrency/permits';
import { LRUCache } from 'lru-cache';

/** Claims of a webhook: many requests may wait for a single callout. */
export interface ClaimTurns {
  /**
   * Claims while no further request of the process claims for the webhook.
   * @returns the claimed callouts; an empty list, without a claim, when a later claim has found nothing.
   */
  claim<T>(webhookKey: number, work: () => Promise<readonly T[]>): Promise<readonly T[]>;
}

/** Forgetting a webhook costs a claim that finds nothing. */
const MOST_KEPT = 10_000;

/**
 * Lets requests that wait for a webhook claim in turn. When hundreds of requests wake up for a single callout, the
 * first gets the callout, the second finds nothing, and the rest need no query.
 */
export function createClaimTurns(): ClaimTurns {
  const turns = createPermits<number>({ total: Infinity, perKey: 1 });
  /** When the last claim without a result began; time is the number of calls and claims so far. */
  const foundNothing = new LRUCache<number, number>({ max: MOST_KEPT });
  let time = 0;
  return {
    async claim(webhookKey, work) {
      time += 1;
      const askedAt = time;
      const turn = turns.acquire(webhookKey);
      try {
        await turn.ready;
        if ((foundNothing.get(webhookKey) ?? 0) > askedAt) return [];
        time += 1;
        const beganAt = time;
        const foundCallouts = await work();
        if (foundCallouts.length === 0) foundNothing.set(webhookKey, beganAt);
        return foundCallouts;
      } finally {
        turn.release();
      }
    },
  };
}
