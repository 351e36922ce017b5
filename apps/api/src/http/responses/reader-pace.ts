/** The longest time for reading a whole response, with any capacity. */
const MOST_MS = 120_000;
/** How far a reader may fall behind when no capacity is left. */
const LEAST_MS = 5_000;
/** Capacity is scarce from here on. */
const SCARCE_FILL = 0.5;
/** A reader at 64 KiB a second does not fall behind. */
const EXPECTED_BYTES_PER_MS = 65.536;

/** The progress of a reader with a response; times are in milliseconds of a single clock. */
export interface ReaderPace {
  /**
   * Counts sent bytes. Bytes that the system buffers at once, also for a reader that reads nothing, give no time ahead.
   */
  took(bytes: number, nowMs: number): void;
  /** Whether the reader has exceeded the time. @param fill the use of the tenant's capacity; see `Reservation`. */
  isTooSlow(fill: number, nowMs: number): boolean;
}

/**
 * Reading a whole response may take two minutes. Once more than half of the capacity is in use, the time that a reader
 * may fall behind 64 KiB a second shrinks: from two minutes at first to five seconds when everything is in use.
 */
export function readerPace(startedAtMs: number): ReaderPace {
  /** The time for the sent bytes, at the expected pace. */
  let paidUntilMs = startedAtMs;
  return {
    took(bytes, nowMs) {
      paidUntilMs = Math.min(nowMs, paidUntilMs + bytes / EXPECTED_BYTES_PER_MS);
    },
    isTooSlow(fill, nowMs) {
      const scarcity = Math.min(1, Math.max(0, (fill - SCARCE_FILL) / (1 - SCARCE_FILL)));
      const patienceMs = MOST_MS - scarcity * (MOST_MS - LEAST_MS);
      return nowMs - paidUntilMs > patienceMs || nowMs - startedAtMs > MOST_MS;
    },
  };
}
