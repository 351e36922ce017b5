import { expect, it } from '@jest/globals';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { createDisposableDatabase } from '@callout/local/test-run';
import { SqlValues } from '../sql-values.ts';
import { inSearch } from './search-transaction.ts';

const database = useDatabase(createDisposableDatabase);

it('is not ended by PostgreSQL while it is still sending a statement', async () => {
  const { pool } = database;
  const [bounds] = await inSearch({ pool, timeoutMs: 1_500 }, 1, (run) =>
    run<{ statement: string; idle: string }>(
      `SELECT current_setting('statement_timeout') AS statement,
         current_setting('idle_in_transaction_session_timeout') AS idle`,
      new SqlValues(),
    ),
  );
  // The latter also runs until a statement has arrived, and closes the connection.
  expect(bounds).toEqual({ statement: '1500ms', idle: '6500ms' });
});
