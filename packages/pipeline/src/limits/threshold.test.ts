import { describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { insertTenant } from '@callout/database/fixtures/tenant';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { rescheduleCallout } from '../deliver/claim.ts';
import { aTenantWithThreshold, hourS, idsOf } from './threshold.fixture.ts';
import { grantFirstAttempts } from './threshold.ts';

const database = useDatabase(createDisposableDatabase);

describe('the threshold', () => {
  it('holds callouts above it, sends the oldest first, and drops nothing', async () => {
    const { add, claim, release, pass, states } = await aTenantWithThreshold(database, 3);
    const made: string[] = [];
    for (let recordId = 1; recordId <= 5; recordId += 1) made.push(await add(recordId, recordId % 2));
    expect(idsOf(await claim()).toSorted()).toEqual(made.slice(0, 3));
    expect(await states()).toEqual({ due: 3, held: 2 });
    expect(await release()).toEqual([]);
    await pass(hourS);
    expect(idsOf(await release())).toEqual(made.slice(3));
    expect(await states()).toEqual({ due: 5 });
  });

  it.each([
    ['0: none', 0],
    ['null: the one of the installation, none here', null],
  ])('%s', async (_, limit) => {
    const { add, claim } = await aTenantWithThreshold(database, limit);
    for (let recordId = 1; recordId <= 5; recordId += 1) await add(recordId);
    expect(await claim()).toHaveLength(5);
    const { rows } = await database.pool.query(
      'SELECT FROM threshold_windows w JOIN tenants t ON t.id = w.tenant_id WHERE t.callout_threshold = 0',
    );
    expect(rows).toEqual([]);
  });

  it('counts an hour of 3,600 seconds, including the present one', async () => {
    const { add, claim, release, pass } = await aTenantWithThreshold(database, 1);
    await add(1);
    await add(2);
    expect(await claim()).toHaveLength(1);
    // The test itself takes some time, but less than these ten minutes.
    await pass(hourS - 600);
    expect(await release()).toEqual([]);
    await pass(600);
    expect(await release()).toHaveLength(1);
  });

  it('does not count retries, redeliveries, tests and deactivation calls', async () => {
    const { tenantId, add, claim, settle } = await aTenantWithThreshold(database, 2);
    await add(1);
    await settle(await claim(), { kind: 'retry', waitMs: 0 });
    await settle(await claim(), { kind: 'retry', waitMs: 0 });
    for (const change of [
      "kind = 'test', record_id = 0",
      "kind = 'deactivation', record_id = -1",
      'is_redelivery = true',
    ]) {
      const id = await add(2 + change.length);
      await database.pool.query(`UPDATE open_callouts SET ${change} WHERE callout_id = $1`, [id]);
    }
    expect(await claim()).toHaveLength(4);
    const { rows } = await database.pool.query('SELECT used FROM threshold_windows WHERE tenant_id = $1', [tenantId]);
    expect(rows).toEqual([{ used: 1 }]);
  });

  it('does not count a call that was rescheduled, however often, and counts it when it is made', async () => {
    const { tenantId, add, claim, settle } = await aTenantWithThreshold(database, 2, 1);
    await add(1);
    for (let round = 0; round < 5; round += 1) {
      const [callout] = await claim();
      if (!callout) throw new Error('it was held');
      await rescheduleCallout(database.pool, callout, 0);
    }
    await settle(await claim());
    for (const recordId of [2, 3]) await add(recordId);
    expect(await claim()).toHaveLength(1);
    const { rows } = await database.pool.query(
      `SELECT used, second_used + (SELECT coalesce(sum(used), 0)::int FROM threshold_use WHERE tenant_id = $1) AS seconds
       FROM threshold_windows WHERE tenant_id = $1`,
      [tenantId],
    );
    expect(rows).toEqual([{ used: 2, seconds: 2 }]);
  });

  it('reverses the count of a released callout that is rescheduled', async () => {
    const { tenantId, add, claim, release, pass } = await aTenantWithThreshold(database, 1, 1);
    for (const recordId of [1, 2]) await add(recordId);
    await claim();
    await pass(hourS);
    const [callout] = await release();
    if (!callout) throw new Error('nothing was released');
    await rescheduleCallout(database.pool, callout, 0);
    const { rows } = await database.pool.query('SELECT used FROM threshold_windows WHERE tenant_id = $1', [tenantId]);
    expect(rows).toEqual([{ used: 0 }]);
  });

  it('is exact under concurrent claims of overlapping tenants, while seconds leave the hour', async () => {
    const tenantIds: number[] = [];
    for (let n = 0; n < 40; n += 1) tenantIds.push(await insertTenant(database.pool));
    const takeFor = (from: number) =>
      grantFirstAttempts(
        database.pool,
        tenantIds.slice(from).map((tenantId) => ({
          id: 'x',
          webhookKey: 1,
          leaseOwner: 'l',
          tenantId,
          entityType: 'Account',
          limit: 1_000,
        })),
      );
    // Both find no windows, and make them.
    await Promise.all([takeFor(0), takeFor(0)]);
    for (let round = 0; round < 20; round += 1) {
      await database.pool.query(
        `WITH past AS (
           INSERT INTO threshold_use SELECT id, 'Account', date_trunc('second', now()) - interval '2 hours', 1
           FROM unnest($1::int[]) AS id)
         UPDATE threshold_windows SET used = used + 1, second = second - interval '1 second' WHERE tenant_id = ANY($1)`,
        [tenantIds],
      );
      await Promise.all([0, 10, 20, 30].map(takeFor));
    }
    const { rows } = await database.pool.query(
      'SELECT used, count(*)::int FROM threshold_windows WHERE tenant_id = ANY($1) GROUP BY used ORDER BY used',
      [tenantIds],
    );
    expect(rows).toEqual([1, 2, 3, 4].map((takers) => ({ used: takers * 20 + 2, count: 10 })));
  });
});
