import { createBatches } from '@callout/runtime/concurrency';
import type { Logger } from '@callout/runtime/log';
import { type CountedFailures, LOCKOUT_S, type SignIn } from '@callout/db/tenants';

interface FailureCounterDeps {
  readonly count: (failures: readonly SignIn[]) => Promise<CountedFailures>;
  readonly log: Pick<Logger, 'warn'>;
}

const MAX_FAILURES_PER_WRITE = 500;

/**
 * Counts failed sign-ins. Failures that come while others are written share the next write: a flood of guesses takes one
 * database connection, and those who know their secret keep the rest.
 * @returns seconds for which the pair was locked out already when this failure came; 0 when it was counted.
 */
export function createFailureCounter({ count, log }: FailureCounterDeps): (signIn: SignIn) => Promise<number> {
  const failures = createBatches<SignIn, boolean>({
    async write(batch) {
      const { wasLockedOut, newlyLockedOut } = await count(batch);
      // The name stays out of the log: it may be a secret that was typed into the wrong field.
      for (const { address } of newlyLockedOut) log.warn({ address }, 'a user name is locked out from this address');
      return wasLockedOut;
    },
    gatherMs: 0,
    maxWeight: MAX_FAILURES_PER_WRITE,
    concurrency: 1,
  });
  return async (signIn) => ((await failures.add(signIn)) ? LOCKOUT_S : 0);
}
