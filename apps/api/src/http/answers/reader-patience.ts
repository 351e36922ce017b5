/** How long a whole answer may take to be read, whatever room there is. */
const MOST_MS = 120_000;
/** How far a reader may fall behind where there is no room at all. */
const LEAST_MS = 5_000;
/** Room is scarce from here on. */
const SCARCE_FILL = 0.5;
/** Readers that take this much, 64 KiB a second, do not fall behind. */
const SOUND_BYTES_PER_MS = 65.536;

/** How one reader gets on with one answer; times are in milliseconds on one clock. */
export interface ReaderPace {
  /** Bytes were taken. What is taken at once, as by the system for a reader that reads nothing, buys no time ahead. */
  took(bytes: number, nowMs: number): void;
  /** Whether the reader has had its time. @param fill of the room of its tenant; see `Room`. */
  isTooSlow(fill: number, nowMs: number): boolean;
}

/**
 * A whole answer may take two minutes. As more than half of the room is in use, a reader may fall behind 64 KiB a second
 * by less and less: by two minutes at first, by five seconds when all is in use.
 */
export function readerPace(startedAtMs: number): ReaderPace {
  /** Until when what was taken lasts, at the sound pace. */
  let paidUntilMs = startedAtMs;
  return {
    took(bytes, nowMs) {
      paidUntilMs = Math.min(nowMs, paidUntilMs + bytes / SOUND_BYTES_PER_MS);
    },
    isTooSlow(fill, nowMs) {
      const scarcity = Math.min(1, Math.max(0, (fill - SCARCE_FILL) / (1 - SCARCE_FILL)));
      const patienceMs = MOST_MS - scarcity * (MOST_MS - LEAST_MS);
      return nowMs - paidUntilMs > patienceMs || nowMs - startedAtMs > MOST_MS;
    },
  };
}
