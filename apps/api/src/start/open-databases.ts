import type { KeyRing } from '@callout/domain/secrets/keyring';
import { type ClockWatch, createClockWatch } from '@callout/database/connection/clock-watch';
import { openDatabase, openSearchPool, type Database } from '@callout/database/connection/database';
import { databaseWaitMs, waitForDatabase } from '@callout/database/connection/wait-for-database';
import { applyMigrations } from '@callout/database/schema/migrations';
import { findMissingKeys, requireKeys } from '@callout/tenancy/operator/missing-keys';
import type { ApiConfig } from '@callout/runtime/config/api';
import { logRepeats } from '@callout/runtime/log/log-repeats';
import type { Logger } from '@callout/runtime/log/logger';
import { startStep } from '@callout/runtime/process/start-step';
import { searchLimits } from '../api-limits.ts';

interface Opening {
  readonly config: ApiConfig;
  readonly keyRing: KeyRing;
  readonly log: Logger;
  /** How long the start waits for an absent database. */
  readonly waitMs?: number;
}

/**
 * The database, migrated, and with every secret readable by the key ring; and connections for searches alone. Rejects
 * with the step that failed.
 */
export async function openDatabases({ config, keyRing, log, waitMs = databaseWaitMs }: Opening): Promise<{
  readonly database: Database;
  readonly searchPool: ReturnType<typeof openSearchPool>;
  readonly clock: ClockWatch;
}> {
  const waiting = { waitMs, log: (line: string) => log.warn({}, line) };
  const applied = await startStep('the database that DATABASE_URL names cannot be used', () =>
    applyMigrations(config.DATABASE_URL, waiting),
  );
  if (applied.length > 0) log.info({ applied }, 'migrations applied');
  const connecting = {
    url: config.DATABASE_URL,
    applicationName: 'callout-api',
    onError: (err: Error) => log.warn({ err }, 'a database connection broke'),
  };
  const database = openDatabase({ ...connecting, poolSize: config.DATABASE_POOL_SIZE });
  const missing = await startStep('the keys that secrets in the database need could not be read', () =>
    waitForDatabase(() => findMissingKeys(database.pool, keyRing.keyIds), {
      ...waiting,
      what: 'the keys that its secrets need',
    }),
  );
  requireKeys(missing, { lostKeyIds: keyRing.lostKeyIds, warn: waiting.log });
  const clock = createClockWatch({
    client: database.pool,
    onError: logRepeats(log, 'the clock could not be compared with that of PostgreSQL; it is tried again'),
  });
  await waitForDatabase(() => clock.measure(), waiting);
  // PostgreSQL ends a query after the time limit; the limit here is for connections on which even the end is lost.
  const answersWithinMs = searchLimits.timeoutMs + 5_000;
  const searchPool = openSearchPool({ ...connecting, poolSize: searchLimits.connections, answersWithinMs });
  return { database, searchPool, clock };
}
