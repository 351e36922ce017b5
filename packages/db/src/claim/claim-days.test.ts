import { beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { inTransaction } from '../connection/database.ts';
import { statements } from '../connection/statement/statement.ts';
import { makeOlder } from '../fixtures/callouts.ts';
import { aTenantWithCallouts } from '../fixtures/delivery.ts';
import { useDatabase } from '../fixtures/own-database.ts';
import { newId } from '../schema/ids.ts';
import { dayMs, ensurePartitions } from '../schema/partitions.ts';
import { usualDays } from './callout-bodies.ts';
import '../deactivate/close-callouts.ts';
import './threshold/release-held.ts';

const database = useDatabase(createDisposableDatabase);
const daysKept = 30;
const ago = (days: number) => new Date(Date.now() - days * dayMs);

beforeAll(async () => {
  for (let days = 0; days <= daysKept; days += 9) await ensurePartitions(database.pool, ago(days));
});

/** The daily tables that the plan of a statement has left when its values are known, as every execution opens them. */
async function tablesOpened(name: string, values: readonly string[]): Promise<string[]> {
  return inTransaction(database.pool, async (transaction) => {
    await transaction.query(`PREPARE opened AS ${statements.get(name) ?? ''}`);
    const { rows } = await transaction.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE opened (${values.join()})`);
    await transaction.query('DEALLOCATE opened');
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    return [...new Set(plan.match(/ using \S+ on (?:callouts|callout_bodies)_\d{8}/g) ?? [])];
  });
}

const quoted = (ids: readonly string[]) => ids.map((id) => `'${id}'`);

describe('with a month of history', () => {
  it('what claims, releases, reads or cancels callouts opens the days that it needs', async () => {
    const ids = [newId(), newId()].toSorted();
    const list = `ARRAY[${quoted(ids).join()}]::uuid[]`;
    const opened = {
      delivery_claim: await tablesOpened('delivery_claim', [
        ...['ARRAY[1]::bigint[]', 'ARRAY[1]', `'${newId()}'`, '60000', ...quoted(usualDays(new Date()))],
      ]),
      threshold_release: await tablesOpened('threshold_release', [list, `'${newId()}'`, '60000', ...quoted(ids)]),
      delivery_read_bodies: await tablesOpened('delivery_read_bodies', [list, ...quoted(ids)]),
      delivery_cancel: await tablesOpened('delivery_cancel', [list, "ARRAY['due']", ...quoted(ids)]),
    };
    expect(Object.entries(opened).map(([name, { length }]) => [name, length > 0 && length <= 3])).toEqual([
      ['delivery_claim', true],
      ['threshold_release', true],
      ['delivery_read_bodies', true],
      ['delivery_cancel', true],
    ]);
  });

  it('a claim brings the body of a callout of weeks ago, beside one of today', async () => {
    const tenant = await aTenantWithCallouts(database);
    const [old, today] = [await tenant.add(1), await tenant.add(2)];
    const id = await makeOlder(database.pool, old, 20);
    const claimed = await tenant.claim(10);
    expect(claimed.map((callout) => [callout.id, callout.body])).toEqual([
      [id, '{}'],
      [today, '{}'],
    ]);
  });
});
