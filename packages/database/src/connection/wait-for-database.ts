import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway } from './database-away.ts';

export interface DatabaseWait {
  /** How long to wait for an unavailable database, in milliseconds; not at all by default. */
  readonly waitMs?: number;
  /** What is waited for, in words, for the log; the database itself by default. */
  readonly what?: string;
  /** Gets one line when the wait begins, and one whenever its reason changes. */
  readonly log?: (line: string) => void;
}

/**
 * How long a starting process waits: a failover or the start of PostgreSQL is over within a minute, and after that a
 * supervisor should see that the process cannot start.
 */
export const databaseWaitMs = 60_000;

/** Short enough that a process is ready soon after its database, and long enough not to burden one that recovers. */
const pauseMs = 500;

/**
 * Runs `work`, and runs it again while the database is unavailable: it is starting, stopping or failing over, it has no
 * free connection, it is too slow, or its name is not known yet. `work` must be safe to repeat.
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

/** Whether PostgreSQL was reached and had no result in time: its own limits for a lock or a statement, or that of pg. */
function isLate(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === '55P03' || code === '57014' || message === 'Query read timeout';
}

/** A connection that fails at each of several addresses has a code and no message. */
function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: unknown; code?: unknown };
  return String(message || code || error);
}
