import { setTimeout as sleep } from 'node:timers/promises';

export interface EventuallyOptions {
  /** How long the fact may take to come true. Generous: a test that passes does not wait it out. Default 120,000. */
  timeoutMs?: number;
  /** Pause between two looks. Default 20. */
  everyMs?: number;
}

/**
 * Waits for a fact instead of for time: calls `fact` until it neither throws nor returns false, and returns what it
 * returned. Put the `expect` inside.
 *
 * @throws Error naming the last failure, when the fact did not come true in time.
 */
export async function eventually<T>(
  fact: () => T | Promise<T>,
  { timeoutMs = 120_000, everyMs = 20 }: EventuallyOptions = {},
): Promise<Exclude<T, false>> {
  // Not by the time of day, which tests and machines set.
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let failure: unknown = new Error('it returned false');
    try {
      const result = await fact();
      if (result !== false) return result as Exclude<T, false>;
    } catch (error) {
      failure = error;
    }
    if (performance.now() >= deadline) {
      const reason = failure instanceof Error ? failure.message : String(failure);
      throw new Error(`not within ${timeoutMs} ms: ${reason}`, { cause: failure });
    }
    await sleep(everyMs);
  }
}
