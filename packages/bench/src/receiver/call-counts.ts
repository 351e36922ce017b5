/** What one webhook was called. */
export interface CallsOfWebhook {
  readonly requests: number;
  /** Requests that were waiting for their answer at the same time, at most. */
  readonly mostUnderWay: number;
}

export interface CallCounts {
  /** To be called when a request has come; the function returned, when it is answered or broken off. */
  began(webhook: number): () => void;
  /** By number of the webhook. */
  counts(): CallsOfWebhook[];
}

/** Counts the calls to each of so many webhooks. */
export function createCallCounts(webhooks: number): CallCounts {
  const counted = Array.from({ length: webhooks }, () => ({ requests: 0, underWay: 0, mostUnderWay: 0 }));
  return {
    began(webhook) {
      const count = counted[webhook];
      if (count === undefined) return () => undefined;
      count.requests += 1;
      count.underWay += 1;
      count.mostUnderWay = Math.max(count.mostUnderWay, count.underWay);
      return () => {
        count.underWay -= 1;
      };
    },
    counts: () => counted.map(({ requests, mostUnderWay }) => ({ requests, mostUnderWay })),
  };
}
