import { KeyRing } from '@callout/core/secrets';
import type { Database } from '@callout/db/connection';
import type { Administration } from '@callout/db/tenants/operator';
import { databaseConfig, keyRingConfig, parseConfig } from '@callout/runtime/config';
import type { CommandContext } from '../../context.ts';

/** The ids of the keys of SECRET_KEYS; undefined where a command that does without is not given it. */
export function knownKeyIds({ env }: CommandContext): readonly string[] | undefined {
  const isGiven = ['SECRET_KEYS', 'SECRET_KEYS_FILE'].some((name) => (env[name] ?? '').trim() !== '');
  return isGiven ? KeyRing.parse(parseConfig(keyRingConfig, env).SECRET_KEYS).keyIds : undefined;
}

/**
 * Opens the database for one command and closes it, whatever happens. The code for the database is large: it is loaded
 * here and by what is done next, so that commands of the API and the help start without it.
 */
export async function withDatabase<T>({ env }: CommandContext, use: (database: Database) => Promise<T>): Promise<T> {
  const { DATABASE_URL } = parseConfig(databaseConfig, env);
  const { findSessions, openDatabase } = await import('@callout/db/connection');
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

/** The same for what operators set up. */
export function withAdministration<T>(
  context: CommandContext,
  use: (administration: Administration) => Promise<T>,
): Promise<T> {
  return withDatabase(context, async (database) => {
    const { createAdministration } = await import('@callout/db/tenants/operator');
    return use(createAdministration(database));
  });
}
