import { KeyRing } from '@callout/domain/secrets/keyring';
import type { Database } from '@callout/database/connection/database';
import type { Administration } from '@callout/tenancy/operator/administration/administration';
import { databaseConfig, keyRingConfig } from '@callout/runtime/config/command-line';
import { parseConfig } from '@callout/runtime/config/parse';
import type * as calloutLog from '@callout/history/log/callouts/callout-log';
import type { SearchDeps } from '@callout/history/search/search-transaction';
import type { RepairDeps } from '@callout/pipeline/repair/repairs';
import type { CommandContext } from '../../context.ts';

/** Whether a setting is given, or the file that holds it. */
export function hasSetting({ env }: CommandContext, name: string): boolean {
  return [name, `${name}_FILE`].some((one) => (env[one] ?? '').trim() !== '');
}

/** The ids of the keys of SECRET_KEYS; undefined where a command runs without it. */
export function knownKeyIds(context: CommandContext): readonly string[] | undefined {
  return hasSetting(context, 'SECRET_KEYS') ? keyRingOf(context).keyIds : undefined;
}

export function keyRingOf({ env }: CommandContext): KeyRing {
  return KeyRing.parse(parseConfig(keyRingConfig, env).SECRET_KEYS);
}

/**
 * Opens the database for one command and always closes it. The code for the database is large: it is loaded here and
 * later, so that commands of the API and the help start without it.
 */
export async function withDatabase<T>({ env }: CommandContext, use: (database: Database) => Promise<T>): Promise<T> {
  const { DATABASE_URL } = parseConfig(databaseConfig, env);
  const { findSessions } = await import('@callout/database/connection/sessions/find-sessions');
  const { openDatabase } = await import('@callout/database/connection/database');
  await findSessions(DATABASE_URL);
  // The statement that waits for the broken connection fails; that reports it.
  const onError = () => undefined;
  const database = openDatabase({ url: DATABASE_URL, poolSize: 2, applicationName: 'callout-cli', onError });
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

/** The same for the administration. */
export function withAdministration<T>(
  context: CommandContext,
  use: (administration: Administration) => Promise<T>,
): Promise<T> {
  return withDatabase(context, async (database) => {
    const { createAdministration } = await import('@callout/tenancy/operator/administration/administration');
    return use(createAdministration(database));
  });
}

/** The dependencies of commands about deliveries. */
export interface Deliveries extends RepairDeps {
  readonly database: Database;
  readonly administration: Administration;
  readonly log: typeof calloutLog;
  readonly search: SearchDeps;
}

/** Counting a backlog of millions takes this long at most. */
const searchTimeoutMs = 120_000;

/**
 * Opens the parts that the API uses for the same: log, repairs, deactivation. No worker is notified: the sweep of the
 * workers finds due callouts within seconds, and the command needs no Redis.
 */
export function withDeliveries<T>(context: CommandContext, use: (deliveries: Deliveries) => Promise<T>): Promise<T> {
  return withDatabase(context, async (database) => {
    const { openSearchPool } = await import('@callout/database/connection/database');
    const log = await import('@callout/history/log/callouts/callout-log');
    const { createAdministration } = await import('@callout/tenancy/operator/administration/administration');
    const { DATABASE_URL: url } = parseConfig(databaseConfig, context.env);
    const pool = openSearchPool({ url, poolSize: 1, applicationName: 'callout-cli', onError: () => undefined });
    try {
      return await use({
        database,
        administration: createAdministration(database),
        log,
        search: { pool, timeoutMs: searchTimeoutMs },
        enqueueDeliver: () => undefined,
      });
    } finally {
      await pool.end();
    }
  });
}
