import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local';
import { openDatabase, type Database } from '../database.ts';
import { claimRules } from '../fixtures/callouts.ts';
import { aDeliveryWorld } from '../fixtures/delivery-world.ts';
import { applyMigrations } from '../migrations.ts';
import type { ClaimedCallout } from './claimed.ts';
import { releaseHeldCallouts } from './release-held.ts';

let disposable: DisposableDatabase;
let database: Database;

beforeAll(async () => {
  disposable = await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) });
  database = openDatabase({ url: disposable.url, poolSize: 8, applicationName: 'test', onError: () => undefined });
});

afterAll(async () => {
  await database.close();
  await disposable.drop();
});

/** A tenant of whose callouts, so many of each webhook, all but one are held, and that has no threshold any more. */
async function aTenantThatMaySend(counts: readonly number[]) {
  const world = await aDeliveryWorld(database, { webhooks: counts.length });
  const setLimit = (limit: number) =>
    database.pool.query('UPDATE tenants SET callout_threshold = $2 WHERE id = $1', [world.tenantId, limit]);
  await setLimit(1);
  for (const [webhook, count] of counts.entries()) {
    for (let recordId = 1; recordId <= count; recordId += 1) await world.add(recordId, webhook);
    await world.claim();
  }
  await setLimit(0);
  return world;
}

/** What a worker releases that has so many places, of each webhook as many as it may have. */
async function release(atMost: number, placesOf: (webhookKey: number) => number): Promise<ClaimedCallout[]> {
  return releaseHeldCallouts(database.pool, { ...claimRules, atMost, placesOf });
}

describe('what a threshold held back', () => {
  it('does not wait behind a webhook that has no place, when there is room for both', async () => {
    const { keys } = await aTenantThatMaySend([30, 5]);
    const [slow, other] = keys;
    const released = await release(10, (key) => (key === slow ? 0 : 8));
    expect(released.map(({ webhookKey }) => webhookKey)).toEqual(Array.from({ length: 5 }, () => other));
    let left = 29;
    while (left > 0) {
      const next = await release(10, (key) => (key === slow ? 8 : 0));
      expect(next.map(({ webhookKey }) => webhookKey)).toEqual(Array.from({ length: Math.min(8, left) }, () => slow));
      left -= next.length;
    }
  });

  it('is shared evenly among tenants, and no more of it is released than there are places', async () => {
    const tenants = new Set<number>();
    for (let n = 0; n < 4; n += 1) tenants.add((await aTenantThatMaySend([12])).tenantId);
    const released = await release(8, () => 8);
    expect(released).toHaveLength(8);
    const shares = [...tenants].map((id) => released.filter(({ tenantId }) => tenantId === id).length);
    expect(shares).toEqual([2, 2, 2, 2]);
  });
});
