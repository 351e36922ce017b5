import type { Settlement } from '@callout/core/settle';
import { LRUCache } from 'lru-cache';

/** What a call means for the lane that it was made in. */
export interface CallResult {
  /** 'none': the receiver was not asked, or it is not known whether it was. */
  signal: Settlement['signal'] | 'none';
  durationMs: number;
}

export interface LaneLimitsDeps {
  /** Calls under way at once to one webhook, at most. */
  most: number;
  /** Milliseconds, rising. */
  nowMs: () => number;
  /** Webhooks remembered at most. */
  maxKept: number;
}

/** What the calls to each webhook have taught about how many of them its receiver bears at once. */
export interface LaneLimits {
  /** How many calls may be under way at once. */
  slotsOf(webhookKey: number): number;
  /** Whether its receiver takes long to answer. */
  isSlow(webhookKey: number): boolean;
  /** How long its receiver may be silent, with calls under way, until it counts as slow all the same. */
  patienceMsOf(webhookKey: number): number;
  learn(webhookKey: number, result: CallResult): void;
}

/** With few calls at first, a receiver that hangs shows it before it holds many slots. */
const firstSlots = 8;
/** An answer that takes longer is slow. */
const slowMs = 1_000;
/**
 * Silence is judged by what a receiver takes otherwise: when many begin to hang at once, a second is long enough for all
 * slots to be theirs. A new connection takes its time too.
 */
const leastPatienceMs = 200;
const patienceInMeans = 5;
/** The share of the latest answer in the mean. */
const newest = 0.2;

interface Learned {
  slots: number;
  meanMs: number;
  /** When the limit was last lowered: calls begun before say nothing about the lower one. */
  loweredAtMs: number;
}

/**
 * A limit per webhook that follows its receiver: one slot more for each callout delivered, half of the slots when the
 * receiver seems to be down.
 */
export function createLaneLimits({ most, nowMs, maxKept }: LaneLimitsDeps): LaneLimits {
  const learned = new LRUCache<number, Learned>({ max: maxKept });
  const first = Math.min(firstSlots, most);

  function entryOf(webhookKey: number): Learned {
    const known = learned.get(webhookKey);
    if (known) return known;
    const entry = { slots: first, meanMs: 0, loweredAtMs: -Infinity };
    learned.set(webhookKey, entry);
    return entry;
  }

  return {
    slotsOf: (webhookKey) => learned.get(webhookKey)?.slots ?? first,
    isSlow: (webhookKey) => (learned.get(webhookKey)?.meanMs ?? 0) > slowMs,
    patienceMsOf(webhookKey) {
      const usualMs = patienceInMeans * (learned.get(webhookKey)?.meanMs ?? 0);
      return Math.min(slowMs, Math.max(leastPatienceMs, usualMs));
    },
    learn(webhookKey, { signal, durationMs }) {
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
