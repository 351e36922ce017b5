import { createBatches } from '@callout/runtime/concurrency/batches';
import type { Logger } from '@callout/runtime/log/logger';
import type { Client } from '@callout/database/connection/database';
import {
  countAuthenticationFailures,
  LOCKOUT_S,
  type AuthenticationAttempt,
} from '@callout/tenancy/authentication-failures';

const MAX_FAILURES_PER_WRITE = 500;

/**
 * Counts failed authentications. Failures during a write share the next write: a flood of guesses uses a single
 * database connection, and callers with a right secret keep the rest.
 * @returns the seconds of an earlier lockout; 0 when the failure was counted.
 */
export function createFailureCounter(
  client: Client,
  log: Pick<Logger, 'warn'>,
): (attempt: AuthenticationAttempt) => Promise<number> {
  const failures = createBatches<AuthenticationAttempt, boolean>({
    async write(batch) {
      const { wasLockedOut, newlyLockedOut } = await countAuthenticationFailures(client, batch);
      // The name stays out of the log: the text may be a secret that was typed into the wrong field.
      for (const { address } of newlyLockedOut) log.warn({ address }, 'a user name is locked out from this address');
      return wasLockedOut;
    },
    gatherMs: 0,
    maxWeight: MAX_FAILURES_PER_WRITE,
    concurrency: 1,
  });
  return async (attempt) => ((await failures.add(attempt)) ? LOCKOUT_S : 0);
}
