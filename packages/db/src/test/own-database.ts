import { afterAll, beforeAll } from '@jest/globals';
import { openDatabase, type Database } from '../connection/database.ts';
import { applyMigrations } from '../schema/migrations.ts';

/** A database that is there for a test file alone. */
interface DisposableDatabase {
  url: string;
  drop(): Promise<void>;
}

/** As `@callout/local` makes them, which only test files may import. */
export type CreateDatabase = (options: {
  name: string;
  prepare: (url: string) => Promise<unknown>;
}) => Promise<DisposableDatabase>;

/**
 * For the tests of a file: a migrated database of their own, which is there from the file's first `beforeAll` on, and gone
 * with the last test. Call it before hooks that need it.
 */
export function useDatabase(createDatabase: CreateDatabase): Database {
  let disposable: DisposableDatabase | undefined;
  let opened: Database | undefined;
  beforeAll(async () => {
    disposable = await createDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) });
    // As many connections as the busiest test has work for at once.
    opened = openDatabase({ url: disposable.url, poolSize: 12, applicationName: 'test', onError: () => undefined });
  });
  afterAll(async () => {
    await opened?.close();
    await disposable?.drop();
  });
  return new Proxy({} as Database, {
    get(_target, name) {
      if (opened === undefined) throw new Error('the database is opened in beforeAll: use it in hooks and tests');
      return Reflect.get(opened, name) as unknown;
    },
  });
}
