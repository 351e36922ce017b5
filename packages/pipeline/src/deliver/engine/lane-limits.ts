import { LRUCache } from 'lru-cache';
import type { Settlement } from '../../settle/settlement.rules.ts';

/** The result of a call, for the limit of its lane. */
export interface CallResult {
  signal: Settlement['signal'];
  durationMs: number;
}

interface LaneLimitsDeps {
  /** Maximum number of concurrent calls to one webhook. */
  most: number;
  /** A monotonic clock in milliseconds. */
  nowMs: () => number;
  /** Maximum number of webhooks. */
  maxKept: number;
}

/** Few calls at first, so that a receiver that hangs is noticed before the calls occupy many slots. */
const firstSlots = 8;
/** A response that takes longer is slow. */
const slowMs = 1_000;
/**
 * Silence is compared with the usual response time: when many receivers begin to hang at once, their calls can occupy
 * all slots within a second. Opening a connection takes time, too.
 */
const leastPatienceMs = 200;
const patienceInMeans = 5;
/** The weight of the latest response in the mean. */
const newest = 0.2;

interface LaneLimit {
  slots: number;
  meanMs: number;
  /** When the limit was last lowered: calls begun before then do not lower the limit again. */
  loweredAtMs: number;
}

/**
 * A limit per webhook that follows its receiver: one slot more for each callout delivered, half of the slots when the
 * receiver seems to be down.
 */
export function createLaneLimits({ most, nowMs, maxKept }: LaneLimitsDeps) {
  const limits = new LRUCache<number, LaneLimit>({ max: maxKept });
  const first = Math.min(firstSlots, most);

  function limitOf(webhookKey: number): LaneLimit {
    const current = limits.get(webhookKey);
    if (current) return current;
    const limit = { slots: first, meanMs: 0, loweredAtMs: -Infinity };
    limits.set(webhookKey, limit);
    return limit;
  }

  return {
    /** The maximum number of concurrent calls now. */
    slotsOf: (webhookKey: number): number => limits.get(webhookKey)?.slots ?? first,
    /** Whether the receiver is slow to respond. */
    isSlow: (webhookKey: number): boolean => (limits.get(webhookKey)?.meanMs ?? 0) > slowMs,
    /** How long the receiver may be silent, with calls under way, before the webhook counts as slow. */
    patienceMsOf(webhookKey: number): number {
      const usualMs = patienceInMeans * (limits.get(webhookKey)?.meanMs ?? 0);
      return Math.min(slowMs, Math.max(leastPatienceMs, usualMs));
    },
    record(webhookKey: number, { signal, durationMs }: CallResult): void {
      const limit = limitOf(webhookKey);
      limit.meanMs += newest * (durationMs - limit.meanMs);
      if (signal === 'delivered') limit.slots = Math.min(most, limit.slots + 1);
      const nowAtMs = nowMs();
      if (signal !== 'down' || nowAtMs - durationMs < limit.loweredAtMs) return;
      limit.slots = Math.max(1, Math.floor(limit.slots / 2));
      limit.loweredAtMs = nowAtMs;
    },
  };
}
