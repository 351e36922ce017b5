import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway } from './database-away.ts';

export interface DatabaseWait {
  /** How long to wait for an unavailable database, in milliseconds; not at all by default. */
  readonly waitMs?: number;
  /** What is waited for, in words, for the log; the database itself by default. */
  readonly what?: string;
  /** Gets a line when the wait begins, and a line whenever the reason changes. */
  readonly log?: (line: string) => void;
}

/**
 * How long a starting process waits: a failover or the start of PostgreSQL is over within a minute, and after a minute
 * a supervisor should see the failure.
 */
export const databaseWaitMs = 60_000;

/**
 * Short enough for a process to be ready soon after the database, and long enough not to burden a recovering database.
 */
const pauseMs = 500;

/**
 * Runs `work`, and again while the database is unavailable: starting, stopping, failing over, without a free
 * connection, too slow, or with an unknown name. `work` must be safe to repeat.
 * @throws the error of `work`: at once when waiting does not help, such as for a wrong password; otherwise after
 * `waitMs`.
 */
export async function waitForDatabase<T>(
  work: () => Promise<T>,
  { waitMs = 0, what = 'it', log }: DatabaseWait,
): Promise<T> {
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
        const trouble = isLate(error) ? 'takes too long' : 'cannot be reached';
        log?.(`PostgreSQL ${trouble}: ${reason}. Waiting for ${what}, ${Math.ceil(leftMs / 1_000)} s at most`);
      }
      lastReason = reason;
    }
    await sleep(pauseMs);
  }
}

/**
 * Whether PostgreSQL was reached and had no result in time: by a limit of PostgreSQL for a lock or a statement, or by
 * the limit of pg.
 */
function isLate(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === '55P03' || code === '57014' || message === 'Query read timeout';
}

/** A connection that fails at each of several addresses has a code and no message. */
function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: unknown; code?: unknown };
  return String(message || code || error);
}
