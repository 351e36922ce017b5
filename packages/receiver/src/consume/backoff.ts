/** Before the second attempt; twice as much before each further one. */
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/**
 * How long to wait after a failure, spread so that many programs do not come back at once.
 * @param failures in a row, from 1.
 * @param retryAfterMs the wait that the API asked for, which is never cut short; null: nothing.
 * @param random from 0 to 1.
 * @returns milliseconds.
 */
export function backoffMs(failures: number, retryAfterMs: number | null, random: number): number {
  if (retryAfterMs !== null) return Math.round(Math.max(retryAfterMs, FIRST_MS) * (1 + random / 10));
  return Math.round(Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1)) * (0.5 + random / 2));
}

/** Reads `Retry-After`: seconds, or a date. @returns milliseconds, null for what is neither. */
export function readRetryAfter(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  if (/^\d+$/u.test(header)) return Number(header) * 1_000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

/** Waits, or less when the signal is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}
