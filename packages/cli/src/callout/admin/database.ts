import { KeyRing } from '@callout/domain/secrets/keyring';
import type { Database } from '@callout/database/connection/database';
import { databaseConfig, keyRingConfig } from '@callout/runtime/config/command-line';
import { parseConfig } from '@callout/runtime/config/parse';
import type { CommandContext } from '../context.ts';

/** Whether a setting is given, or a file with the setting. */
export function hasSetting({ env }: CommandContext, name: string): boolean {
  return [name, `${name}_FILE`].some((one) => (env[one] ?? '').trim() !== '');
}

export function keyRingOf({ env }: CommandContext): KeyRing {
  return KeyRing.parse(parseConfig(keyRingConfig, env).SECRET_KEYS);
}

/**
 * Opens the database for one command and always closes the database. The code for the database is large, and is loaded
 * here and later: commands of the API and the help start without it.
 */
export async function withDatabase<T>({ env }: CommandContext, use: (database: Database) => Promise<T>): Promise<T> {
  const { DATABASE_URL } = parseConfig(databaseConfig, env);
  const { findSessions } = await import('@callout/database/connection/find-sessions');
  const { openDatabase } = await import('@callout/database/connection/database');
  await findSessions(DATABASE_URL);
  // The next statement on the broken connection fails and reports the error.
  const onError = () => undefined;
  const database = openDatabase({ url: DATABASE_URL, poolSize: 2, applicationName: 'callout-cli', onError });
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}
