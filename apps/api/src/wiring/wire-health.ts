import { missingPartitions } from '@callout/db/schema';
import { createHealth, type Health } from '@callout/runtime/health';
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
    ],
  });
}
