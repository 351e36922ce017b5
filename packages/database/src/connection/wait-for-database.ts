import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway } from './database-away.ts';

export interface DatabaseWait {
  /** How long to wait for an unavailable database, in milliseconds; not at all by default. */
  readonly waitMs?: number;
  /** Gets one line when the wait begins, and one whenever its reason changes. */
  readonly log?: (line: string) => void;
}

/** Short enough that a process is ready soon after its database, and long enough not to burden one that recovers. */
const pauseMs = 500;

/**
 * Runs `work`, and runs it again while the database is unavailable: it is starting, stopping or failing over, it has no
 * free connection, or its name is not known yet. `work` must be safe to repeat.
 * @throws the error of `work`: at once when waiting does not help, such as for a wrong password; otherwise after
 * `waitMs`.
 */
export async function waitForDatabase<T>(work: () => Promise<T>, { waitMs = 0, log }: DatabaseWait): Promise<T> {
  const until = performance.now() + waitMs;
  let lastReason: string | undefined;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const leftMs = until - performance.now();
      if (!isDatabaseAway(error) || leftMs <= 0) throw error;
      const reason = reasonOf(error);
      if (reason !== lastReason) {
        log?.(`PostgreSQL cannot be reached: ${reason}. Waiting for it, ${Math.ceil(leftMs / 1_000)} s at most`);
      }
      lastReason = reason;
    }
    await sleep(pauseMs);
  }
}

/** A connection that fails at each of several addresses has a code and no message. */
function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: unknown; code?: unknown };
  return String(message || code || error);
}
