import { expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { eventually } from '@callout/testing';
import { Client } from 'pg';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { describeBlockingTransactions, findBlockingTransactions } from './blocking-transactions.ts';

const database = useDatabase(createDisposableDatabase);

it('a transaction that keeps others waiting is named with its program, until it is over', async () => {
  const { pool } = database;
  expect(await findBlockingTransactions(pool)).toEqual([]);
  await pool.query(`INSERT INTO zones (name, url, web_url) VALUES ('one', '', '')`);
  const left = new Client({ connectionString: pool.options.connectionString, application_name: 'psql' });
  await left.connect();
  await left.query(`BEGIN; UPDATE zones SET url = 'x'`);
  const waiting = [1, 2].map(() => pool.query(`UPDATE zones SET url = 'y'`));
  await eventually(async () => (await findBlockingTransactions(pool))[0]?.waiting === 2);
  const [sentence] = await describeBlockingTransactions(pool);
  expect(sentence).toMatch(
    /^A transaction of psql \(process \d+ of PostgreSQL, from 127\.0\.0\.1\) has kept 2 statements waiting for 3 seconds\.$/,
  );
  await left.query('ROLLBACK');
  await left.end();
  await Promise.all(waiting);
  expect(await describeBlockingTransactions(pool)).toEqual([]);
});
