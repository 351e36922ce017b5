import { describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { claimRules } from '../fixtures/callouts.ts';
import { aTenantWithCallouts } from '../fixtures/delivery.ts';
import { newId } from '@callout/database/schema/ids';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { holdCallouts } from './hold.ts';
import { releaseHeldCallouts } from './release-held.ts';
import { grantFirstAttempts } from './threshold.ts';

const database = useDatabase(createDisposableDatabase);

describe('callouts above the threshold', () => {
  it('are claimed again, without another episode, when the episode has ended before they were held', async () => {
    const tenant = await aTenantWithCallouts(database);
    const { tenantId, keys } = tenant;
    const setLimit = (limit: number) =>
      database.pool.query('UPDATE tenants SET callout_threshold = $2 WHERE id = $1', [tenantId, limit]);
    await setLimit(1);
    await database.pool.query('UPDATE webhooks SET send_threshold_exceeded_notification = true WHERE key = ANY($1)', [
      keys,
    ]);
    for (const recordId of [1, 2]) await tenant.add(recordId);
    await tenant.claim();
    await setLimit(10);
    const late = await tenant.add(3);
    const leaseOwner = newId();
    await database.pool.query(
      "UPDATE open_callouts SET lease_owner = $2, lease_until = now() + interval '1 minute' WHERE callout_id = $1",
      [late, leaseOwner],
    );
    const contender = { id: late, webhookKey: keys[0] ?? 0, leaseOwner, tenantId, entityType: 'Account', limit: 10 };
    const { held } = await grantFirstAttempts(database.pool, [contender]);
    expect(held).toEqual([contender]);
    const released = await releaseHeldCallouts(database.pool, { ...claimRules, atMost: 100, slotsOf: () => 100 });
    expect(released.filter((callout) => callout.tenantId === tenantId)).toHaveLength(1);
    await holdCallouts(database.pool, held);
    expect(await tenant.mails()).toEqual(['thresholdExceeded', 'caughtUp']);
    expect(await tenant.claim()).toMatchObject([{ id: late }]);
  });
});

describe('callouts that the threshold does not concern', () => {
  it('do not wait behind a backlog until each of its callouts was claimed and held', async () => {
    const tenant = await aTenantWithCallouts(database);
    await database.pool.query('UPDATE tenants SET callout_threshold = 1 WHERE id = $1', [tenant.tenantId]);
    await tenant.add(1);
    const [first] = await tenant.claim(1);
    for (let recordId = 2; recordId <= 31; recordId += 1) await tenant.add(recordId);
    await tenant.settle(first ? [first] : [], { kind: 'retry', waitMs: 0 }, { signal: 'rejected' });
    expect(await tenant.claim(4)).toEqual([]);
    const { rows } = await database.pool.query(
      'SELECT state, count(*)::int FROM open_callouts WHERE webhook_key = $1 GROUP BY state ORDER BY state',
      tenant.keys,
    );
    expect(rows).toEqual([
      { state: 'due', count: 1 },
      { state: 'held', count: 30 },
    ]);
    expect(await tenant.claim(4)).toMatchObject([{ id: first?.id }]);
  });
});

describe('a probe that is held', () => {
  it('leaves the probe to the next call', async () => {
    const tenant = await aTenantWithCallouts(database);
    await database.pool.query('UPDATE tenants SET callout_threshold = 1 WHERE id = $1', [tenant.tenantId]);
    // The first uses up the threshold, and its next attempt comes behind a new callout.
    await tenant.add(1);
    const [first] = await tenant.claim();
    const fresh = await tenant.add(2);
    await tenant.settle(first ? [first] : [], { kind: 'retry', waitMs: 0 }, { signal: 'rejected' });
    await database.pool.query('UPDATE open_callouts SET sequence_number = 99 WHERE callout_id = $1', [first?.id]);
    await database.pool.query(
      'UPDATE webhook_health SET pauses = 1, paused_until = now() WHERE webhook_key = $1',
      tenant.keys,
    );
    expect(await tenant.claim()).toEqual([]);
    const { rows } = await database.pool.query('SELECT state FROM open_callouts WHERE callout_id = $1', [fresh]);
    expect(rows).toEqual([{ state: 'held' }]);
    expect(await tenant.claim()).toMatchObject([{ id: first?.id }]);
  });
});
