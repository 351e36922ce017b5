import { describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { claimRules } from '../fixtures/callouts.ts';
import { aDeliveryWorld } from '../fixtures/delivery-world.ts';
import { newId } from '../schema/ids.ts';
import { useDatabase } from '../test/own-database.ts';
import { holdCallouts } from './hold.ts';
import { releaseHeldCallouts } from './release-held.ts';
import { takeFirstAttempts } from './threshold.ts';

const database = useDatabase(createDisposableDatabase);

describe('callouts that are to be held', () => {
  it('are claimed again when the episode has ended meanwhile: that is not another one', async () => {
    const world = await aDeliveryWorld(database);
    const { tenantId, keys } = world;
    const setLimit = (limit: number) =>
      database.pool.query('UPDATE tenants SET callout_threshold = $2 WHERE id = $1', [tenantId, limit]);
    await setLimit(1);
    await database.pool.query('UPDATE webhooks SET send_threshold_exceeded_notification = true WHERE key = ANY($1)', [
      keys,
    ]);
    for (const recordId of [1, 2]) await world.add(recordId);
    await world.claim();
    await setLimit(10);
    const late = await world.add(3);
    const leaseOwner = newId();
    await database.pool.query(
      "UPDATE open_callouts SET lease_owner = $2, lease_until = now() + interval '1 minute' WHERE callout_id = $1",
      [late, leaseOwner],
    );
    const contender = { id: late, webhookKey: keys[0] ?? 0, leaseOwner, tenantId, entityType: 'Account', limit: 10 };
    const { held } = await takeFirstAttempts(database.pool, [contender]);
    expect(held).toEqual([contender]);
    const released = await releaseHeldCallouts(database.pool, { ...claimRules, atMost: 100, slotsOf: () => 100 });
    expect(released.filter((callout) => callout.tenantId === tenantId)).toHaveLength(1);
    await holdCallouts(database.pool, held);
    expect(await world.mails()).toEqual(['thresholdExceeded', 'caughtUp']);
    expect(await world.claim()).toMatchObject([{ id: late }]);
  });
});

describe('what needs no threshold', () => {
  it('does not wait behind a backlog until each of it was claimed in vain', async () => {
    const world = await aDeliveryWorld(database);
    await database.pool.query('UPDATE tenants SET callout_threshold = 1 WHERE id = $1', [world.tenantId]);
    await world.add(1);
    const [first] = await world.claim(1);
    for (let recordId = 2; recordId <= 31; recordId += 1) await world.add(recordId);
    await world.settle(first ? [first] : [], { kind: 'retry', waitMs: 0 }, { signal: 'rejected' });
    expect(await world.claim(4)).toEqual([]);
    const { rows } = await database.pool.query(
      'SELECT state, count(*)::int FROM open_callouts WHERE webhook_key = $1 GROUP BY state ORDER BY state',
      world.keys,
    );
    expect(rows).toEqual([
      { state: 'due', count: 1 },
      { state: 'held', count: 30 },
    ]);
    expect(await world.claim(4)).toMatchObject([{ id: first?.id }]);
  });
});

describe('a probe that is held', () => {
  it('does not keep the receiver waiting: the next call may ask it', async () => {
    const world = await aDeliveryWorld(database);
    await database.pool.query('UPDATE tenants SET callout_threshold = 1 WHERE id = $1', [world.tenantId]);
    // The first uses up the threshold, and its next attempt comes behind a new callout.
    await world.add(1);
    const [first] = await world.claim();
    const fresh = await world.add(2);
    await world.settle(first ? [first] : [], { kind: 'retry', waitMs: 0 }, { signal: 'rejected' });
    await database.pool.query('UPDATE open_callouts SET sequence_number = 99 WHERE callout_id = $1', [first?.id]);
    await database.pool.query(
      'UPDATE webhook_health SET pauses = 1, paused_until = now() WHERE webhook_key = $1',
      world.keys,
    );
    expect(await world.claim()).toEqual([]);
    const { rows } = await database.pool.query('SELECT state FROM open_callouts WHERE callout_id = $1', [fresh]);
    expect(rows).toEqual([{ state: 'held' }]);
    expect(await world.claim()).toMatchObject([{ id: first?.id }]);
  });
});
