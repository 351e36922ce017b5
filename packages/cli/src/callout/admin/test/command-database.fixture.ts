import { openDatabase } from '@callout/database/connection/database';
import { createTestDatabase, forThisFile } from '@callout/testing';

/** For the tests of a file: a database of their own with all tables, and the setting by which commands find it. */
export function useCommandDatabase() {
  return forThisFile(
    async () => {
      const { url, drop } = await createTestDatabase();
      const database = openDatabase({ url, poolSize: 2, applicationName: 'test', onError: () => undefined });
      return { database, url, env: { DATABASE_URL: url }, drop };
    },
    async ({ database, drop }) => {
      await database.close();
      await drop();
    },
  );
}
