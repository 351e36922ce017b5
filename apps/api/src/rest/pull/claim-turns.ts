/** Claims of one webhook, of which many requests may wait for the same callout. */
export interface ClaimTurns {
  /**
   * Claims when no other request of this process claims for the webhook.
   * @returns the claimed callouts; none, without a claim, when a claim that began after this call has found nothing.
   */
  claim<T>(webhookKey: number, work: () => Promise<readonly T[]>): Promise<readonly T[]>;
}

interface Line {
  tail: Promise<unknown>;
  /** The number of requests in the queue, the running one included. */
  length: number;
  /** Claims that have begun. */
  begun: number;
  /** The last of them that found nothing. */
  emptyAt: number;
}

/**
 * Lets requests that wait for one webhook claim one after another. When hundreds of them wake up for one callout, the
 * first gets it, the second finds nothing, and the others need no query.
 */
export function createClaimTurns(): ClaimTurns {
  const lines = new Map<number, Line>();
  return {
    claim(webhookKey, work) {
      const line = lines.get(webhookKey) ?? { tail: Promise.resolve(), length: 0, begun: 0, emptyAt: 0 };
      lines.set(webhookKey, line);
      const askedAt = line.begun;
      line.length += 1;
      const turn = line.tail.then(async () => {
        if (line.emptyAt > askedAt) return [];
        line.begun += 1;
        const nth = line.begun;
        const found = await work();
        if (found.length === 0) line.emptyAt = nth;
        return found;
      });
      const leave = () => {
        line.length -= 1;
        if (line.length === 0) lines.delete(webhookKey);
      };
      line.tail = turn.then(leave, leave);
      return turn;
    },
  };
}
