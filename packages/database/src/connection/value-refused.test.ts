import { describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { useDatabase } from '../fixtures/own-database.ts';
import { isValueRefused } from './database-away.ts';

const database = useDatabase(createDisposableDatabase);

const refusalOf = (sql: string) => database.pool.query(sql).then(() => undefined, isValueRefused);

describe('isValueRefused', () => {
  it.each([
    ['a number out of range', 'SELECT 1::bigint * 9223372036854775807 * 2'],
    ['bytes that are no text', "SELECT convert_from('\\x00', 'UTF8')"],
    ['a key that is there', "INSERT INTO counters (tenant_id, collection) VALUES (1, 'x'), (1, 'x')"],
  ])('is true for %s', async (_what, sql) => {
    expect(await refusalOf(sql)).toBe(true);
  });

  it.each([
    ['a table that is not there', 'SELECT FROM attempts_elsewhere'],
    [
      'a day without a partition',
      'CREATE TEMPORARY TABLE days (id int) PARTITION BY RANGE (id); INSERT INTO days VALUES (1)',
    ],
    ['a server that takes no writes', 'BEGIN READ ONLY; CREATE TABLE t ()'],
  ])('is false for %s', async (_what, sql) => {
    expect(await refusalOf(sql)).toBe(false);
  });

  it('is false for a broken connection, and true for a programming error', () => {
    expect(isValueRefused(Object.assign(new Error('gone'), { code: 'ECONNRESET' }))).toBe(false);
    expect(isValueRefused(new Error('Query read timeout'))).toBe(false);
    expect(isValueRefused(new TypeError('x is not a function'))).toBe(true);
  });
});
