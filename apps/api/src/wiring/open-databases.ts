import type { KeyRing } from '@callout/core/secrets';
import { openDatabase, openSearchPool, type Database } from '@callout/db/connection';
import { applyMigrations } from '@callout/db/schema';
import { requireKeys } from '@callout/db/tenants/operator';
import type { ApiConfig } from '@callout/runtime/config';
import type { Logger } from '@callout/runtime/log';
import { startStep } from '@callout/runtime/process';

interface Opening {
  readonly config: ApiConfig;
  readonly keyRing: KeyRing;
  readonly log: Logger;
}

/**
 * The database, migrated, and with no secret that the key ring cannot read; and connections for searches alone.
 * Rejects with the step that failed.
 */
export async function openDatabases({ config, keyRing, log }: Opening): Promise<{
  readonly database: Database;
  readonly searchPool: ReturnType<typeof openSearchPool>;
}> {
  const applied = await startStep('the database that DATABASE_URL names cannot be used', () =>
    applyMigrations(config.DATABASE_URL, { log: (line) => log.warn({}, line) }),
  );
  if (applied.length > 0) log.info({ applied }, 'migrations applied');
  const connecting = {
    url: config.DATABASE_URL,
    applicationName: 'callout-api',
    onError: (err: Error) => log.warn({ err }, 'a database connection broke'),
  };
  const database = openDatabase({ ...connecting, poolSize: config.DATABASE_POOL_SIZE });
  await startStep('SECRET_KEYS does not fit the database', () =>
    requireKeys(database.pool, keyRing, {
      isAllowed: config.ALLOW_MISSING_KEYS,
      warn: (line) => log.warn({}, line),
    }),
  );
  return { database, searchPool: openSearchPool({ ...connecting, poolSize: config.QUERY_POOL_SIZE }) };
}
