import type { Settlement } from '../../settle/settlement.rules.ts';
import { LRUCache } from 'lru-cache';

/** The result of a call, as far as its lane needs it. */
export interface CallResult {
  /** 'none': the receiver was not called, or it is unknown whether it was. */
  signal: Settlement['signal'] | 'none';
  durationMs: number;
}

export interface LaneLimitsDeps {
  /** Maximum number of concurrent calls to one webhook. */
  most: number;
  /** A monotonic clock in milliseconds. */
  nowMs: () => number;
  /** Maximum number of webhooks. */
  maxKept: number;
}

/** How many concurrent calls the receiver of each webhook can handle, estimated from the results of earlier calls. */
export interface LaneLimits {
  /** The maximum number of concurrent calls now. */
  slotsOf(webhookKey: number): number;
  /** Whether its receiver is slow to respond. */
  isSlow(webhookKey: number): boolean;
  /** How long its receiver may be silent, with calls under way, before it counts as slow. */
  patienceMsOf(webhookKey: number): number;
  record(webhookKey: number, result: CallResult): void;
}

/** Few calls at first, so that a receiver that hangs is noticed before it occupies many slots. */
const firstSlots = 8;
/** A response that takes longer is slow. */
const slowMs = 1_000;
/**
 * Silence is compared with the usual response time: when many receivers begin to hang at once, they can occupy all
 * slots within a second. Opening a connection takes its time too.
 */
const leastPatienceMs = 200;
const patienceInMeans = 5;
/** The weight of the latest response in the mean. */
const newest = 0.2;

interface LaneRecord {
  slots: number;
  meanMs: number;
  /** When the limit was last lowered: calls begun before then do not lower it again. */
  loweredAtMs: number;
}

/**
 * A limit per webhook that follows its receiver: one slot more for each callout delivered, half of the slots when the
 * receiver seems to be down.
 */
export function createLaneLimits({ most, nowMs, maxKept }: LaneLimitsDeps): LaneLimits {
  const records = new LRUCache<number, LaneRecord>({ max: maxKept });
  const first = Math.min(firstSlots, most);

  function entryOf(webhookKey: number): LaneRecord {
    const known = records.get(webhookKey);
    if (known) return known;
    const entry = { slots: first, meanMs: 0, loweredAtMs: -Infinity };
    records.set(webhookKey, entry);
    return entry;
  }

  return {
    slotsOf: (webhookKey) => records.get(webhookKey)?.slots ?? first,
    isSlow: (webhookKey) => (records.get(webhookKey)?.meanMs ?? 0) > slowMs,
    patienceMsOf(webhookKey) {
      const usualMs = patienceInMeans * (records.get(webhookKey)?.meanMs ?? 0);
      return Math.min(slowMs, Math.max(leastPatienceMs, usualMs));
    },
    record(webhookKey, { signal, durationMs }) {
      if (signal === 'none') return;
      const entry = entryOf(webhookKey);
      entry.meanMs += newest * (durationMs - entry.meanMs);
      if (signal === 'delivered') entry.slots = Math.min(most, entry.slots + 1);
      const nowAtMs = nowMs();
      if (signal !== 'down' || nowAtMs - durationMs < entry.loweredAtMs) return;
      entry.slots = Math.max(1, Math.floor(entry.slots / 2));
      entry.loweredAtMs = nowAtMs;
    },
  };
}
