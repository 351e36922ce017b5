import { beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { statements } from '@callout/database/connection/statement/statement';
import { makeOlder } from '../fixtures/callouts.ts';
import { aTenantWithCallouts } from '../fixtures/delivery.ts';
import { pullAll } from '../fixtures/pull-all.ts';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { newId } from '@callout/database/schema/ids';
import { dayMs, ensurePartitions } from '@callout/database/schema/partitions';
import { bodyParameters } from '../payload/callout-bodies.ts';
import '../deactivate/cancel.ts';
import '../limits/release-held.ts';

const database = useDatabase(createDisposableDatabase);
const daysKept = 30;
const ago = (days: number) => new Date(Date.now() - days * dayMs);

beforeAll(async () => {
  for (let days = 0; days <= daysKept; days += 9) await ensurePartitions(database.pool, ago(days));
});

/** The daily tables that remain in the plan of a statement with its values, as every execution opens them. */
async function tablesOpened(name: string, values: readonly string[]): Promise<string[]> {
  return inTransaction(database.pool, async (transaction) => {
    await transaction.query(`PREPARE opened AS ${statements.get(name) ?? ''}`);
    const { rows } = await transaction.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE opened (${values.join()})`);
    await transaction.query('DEALLOCATE opened');
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    return [...new Set(plan.match(/ using \S+ on (?:callouts|callout_bodies|events)_\d{8}/g) ?? [])];
  });
}

const quoted = (ids: readonly string[]) => ids.map((id) => `'${id}'`);

describe('with a month of history', () => {
  it('statements that claim, release, read or cancel callouts open only the days that they need', async () => {
    const ids = [newId(), newId()].toSorted();
    const list = `ARRAY[${quoted(ids).join()}]::uuid[]`;
    const opened = {
      delivery_claim: await tablesOpened('delivery_claim', [
        ...['ARRAY[1]::bigint[]', 'ARRAY[1]', `'${newId()}'`, '60000'],
      ]),
      pull_claim: await tablesOpened('pull_claim', ['1', '1', `'${newId()}'`, '60000', '1']),
      threshold_release: await tablesOpened('threshold_release', [list, `'${newId()}'`, '60000']),
      payload_read_bodies: await tablesOpened('payload_read_bodies', [
        list,
        ...quoted(bodyParameters(ids).slice(1) as string[]),
      ]),
      delivery_cancel: await tablesOpened('delivery_cancel', [list, "ARRAY['due']", ...quoted(ids)]),
    };
    expect(opened).toMatchObject({ delivery_claim: [], pull_claim: [], threshold_release: [] });
    // Callouts and bodies of today, events of today and perhaps the day before; near midnight, of one day more.
    const [read, cancelled] = [opened.payload_read_bodies.length, opened.delivery_cancel.length];
    expect([read >= 3 && read <= 6, cancelled >= 1 && cancelled <= 3]).toEqual([true, true]);
  });

  it('a claim returns the body of a callout of weeks ago, beside one of today', async () => {
    const tenant = await aTenantWithCallouts(database);
    const [old, today] = [await tenant.add(1), await tenant.add(2)];
    const id = await makeOlder(database.pool, old, 20);
    const claimed = await tenant.claim(10);
    expect(claimed.map((callout) => [callout.id, callout.body])).toEqual([
      [id, '{}'],
      [today, '{}'],
    ]);
  });

  it.each([
    ['callout', ''],
    ['test', "kind = 'test', record_id = 0, sequence_number = 0,"],
  ])(
    'a fetched %s of weeks ago counts towards the size of the answer like a callout of today',
    async (_what, change) => {
      const tenant = await aTenantWithCallouts(database);
      const [webhookKey = 0] = tenant.keys;
      await database.pool.query("UPDATE webhooks SET webhook_url = 'pull:', delivery_mode = 'pull' WHERE key = $1", [
        webhookKey,
      ]);
      const [old, ...others] = [await tenant.add(1), await tenant.add(2), await tenant.add(3)];
      const id = await makeOlder(database.pool, old, 20);
      await database.pool.query(`UPDATE open_callouts SET ${change} lease_until = NULL WHERE callout_id = $1`, [id]);
      const claim = (mostBytes: number) => pullAll(database.pool, webhookKey, mostBytes);
      const claimed = [await claim(1), await claim(4)];
      expect(claimed.map((callouts) => callouts.map((callout) => [callout.id, callout.body]))).toEqual([
        [[id, '{}']],
        others.map((other) => [other, '{}']),
      ]);
      expect(await claim(4)).toEqual([]);
    },
  );
});
