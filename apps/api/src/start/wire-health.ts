import { missingPartitions } from '@callout/database/schema/partitions';
import { describeBlockingTransactions } from '@callout/history/status/blocking-transactions';
import { createHealth, type Health } from '@callout/runtime/health/health';
import type { ApiContext } from './context.ts';

/** Redis is not among the checks: without it events are accepted all the same, and the sweep finds them. */
export function wireHealth({ log, database, isQueueReady, isStopping, missingKeys }: ApiContext): Health {
  return createHealth({
    log,
    isStopping,
    checks: {
      postgres: () => database.writeProblems(),
      partitions: async () => (await missingPartitions(database.pool, new Date())).map((name) => `${name} is missing`),
    },
    notices: async () => [
      ...(isQueueReady() ? [] : ['Redis is away: events are accepted, and wait until it is back']),
      ...(await missingKeys()),
      ...(await describeBlockingTransactions(database.pool)),
    ],
  });
}
