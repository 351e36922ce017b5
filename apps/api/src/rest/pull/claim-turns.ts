import { createPermits } from '@callout/runtime/concurrency/permits';
import { LRUCache } from 'lru-cache';

/** Claims of one webhook, of which many requests may wait for the same callout. */
export interface ClaimTurns {
  /**
   * Claims when no other request of this process claims for the webhook.
   * @returns the claimed callouts; none, without a claim, when a claim that began after this call has found nothing.
   */
  claim<T>(webhookKey: number, work: () => Promise<readonly T[]>): Promise<readonly T[]>;
}

/** Forgetting one costs a claim that finds nothing. */
const MOST_KEPT = 10_000;

/**
 * Lets requests that wait for one webhook claim one after another. When hundreds of them wake up for one callout, the
 * first gets it, the second finds nothing, and the others need no query.
 */
export function createClaimTurns(): ClaimTurns {
  const turns = createPermits<number>({ total: Infinity, perKey: 1 });
  /** When the last claim began that found nothing; time is the number of calls and claims so far. */
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
        const found = await work();
        if (found.length === 0) foundNothing.set(webhookKey, beganAt);
        return found;
      } finally {
        turn.release();
      }
    },
  };
}
