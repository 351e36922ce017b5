import { describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { claimRules } from '../fixtures/callouts.ts';
import { aTenantWithCallouts } from '../fixtures/delivery.ts';
import { useDatabase } from '@callout/database/fixtures/own-database';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import { releaseHeldCallouts } from './release-held.ts';
import { aTenantWithThreshold, hourS, idsOf } from './threshold.fixture.ts';

const database = useDatabase(createDisposableDatabase);

/** A tenant with a number of callouts per webhook, all but one held, and with the threshold removed afterwards. */
async function aTenantThatMaySend(counts: readonly number[]) {
  const tenant = await aTenantWithCallouts(database, { webhooks: counts.length });
  const setLimit = (limit: number) =>
    database.pool.query('UPDATE tenants SET callout_threshold = $2 WHERE id = $1', [tenant.tenantId, limit]);
  await setLimit(1);
  for (const [webhook, count] of counts.entries()) {
    for (let recordId = 1; recordId <= count; recordId += 1) await tenant.add(recordId, webhook);
    await tenant.claim();
  }
  await setLimit(0);
  return tenant;
}

/** Releases as a worker does that has this many slots, and this many per webhook. */
async function release(atMost: number, slotsOf: (webhookKey: number) => number): Promise<ClaimedCallout[]> {
  return releaseHeldCallouts(database.pool, { ...claimRules, atMost, slotsOf });
}

describe('releasing held callouts', () => {
  it('does not wait for a webhook without a free slot when there is capacity for another', async () => {
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

  it('does not wait for a webhook that may not be called so often', async () => {
    const { keys } = await aTenantThatMaySend([30, 5]);
    const [slow, other] = keys;
    await database.pool.query('UPDATE webhooks SET max_calls_per_second = 0.1 WHERE key = $1', [slow]);
    await database.pool.query('INSERT INTO webhook_rates (webhook_key) VALUES ($1)', [slow]);
    const released = await release(8, () => 8);
    expect(released.map(({ webhookKey }) => webhookKey)).toEqual([slow, other, other, other, other, other]);
    await database.pool.query('UPDATE webhooks SET max_calls_per_second = NULL WHERE key = $1', [slow]);
    while ((await release(100, () => 100)).length > 0);
  });

  it('is shared evenly among tenants and limited to the slots', async () => {
    const tenants = new Set<number>();
    for (let n = 0; n < 4; n += 1) tenants.add((await aTenantThatMaySend([12])).tenantId);
    const released = await release(8, () => 8);
    expect(released).toHaveLength(8);
    const shares = [...tenants].map((id) => released.filter(({ tenantId }) => tenantId === id).length);
    expect(shares).toEqual([2, 2, 2, 2]);
  });
});

describe('held callouts', () => {
  it('are overtaken by no new one', async () => {
    const { add, claim, release, pass } = await aTenantWithThreshold(database, 1);
    const [first, second] = [await add(1), await add(2)];
    expect(idsOf(await claim())).toEqual([first]);
    await pass(hourS);
    const third = await add(3, 1);
    expect(await claim()).toEqual([]);
    expect(idsOf(await release())).toEqual([second]);
    await pass(hourS);
    expect(idsOf(await release())).toEqual([third]);
  });

  it('are skipped while their webhook has no free slot or its receiver is paused', async () => {
    const { keys, add, claim, release, pass } = await aTenantWithThreshold(database, 1, 3);
    await add(9);
    await claim();
    const made = [await add(1), await add(2, 1), await add(3, 2)];
    await claim();
    await pass(hourS);
    await database.pool.query(
      "INSERT INTO webhook_health (webhook_key, pauses, paused_until) VALUES ($1, 1, now() + interval '1 hour')",
      [keys[0]],
    );
    expect(await release((webhookKey) => (webhookKey === keys[1] ? 0 : 1))).toEqual([]);
    // The oldest that may be sent is that of the second webhook: that of the third has to wait.
    expect(idsOf(await release())).toEqual([made[1]]);
  });

  it('provide one probe for a paused receiver when its pause is over', async () => {
    const { keys, add, claim, release, pass } = await aTenantWithThreshold(database, 1, 1);
    await add(9);
    await claim();
    const [first] = [await add(1), await add(2)];
    await claim();
    await pass(hourS);
    await database.pool.query('UPDATE tenants SET callout_threshold = 10');
    await database.pool.query(
      "INSERT INTO webhook_health (webhook_key, pauses, paused_until) VALUES ($1, 1, now() - interval '1 second')",
      [keys[0]],
    );
    const released = await release();
    expect(idsOf(released)).toEqual([first]);
    const { rows } = await database.pool.query('SELECT probe_lease FROM webhook_health WHERE webhook_key = $1', keys);
    expect(rows).toEqual([{ probe_lease: released[0]?.leaseOwner }]);
    expect(await release()).toEqual([]);
  });

  /** Two webhooks that hold two callouts each, with a threshold of that many: the first one limits its calls. */
  async function twoThatHold(threshold: number, limits: string) {
    const tenant = await aTenantWithThreshold(database, 1, 2);
    const { keys, add, claim, pass } = tenant;
    await add(9);
    await claim();
    const made: string[] = [];
    for (const webhook of [0, 0, 1, 1]) made.push(await add(made.length + 1, webhook));
    await claim();
    await pass(hourS);
    await database.pool.query('UPDATE tenants SET callout_threshold = $2 WHERE id = $1', [tenant.tenantId, threshold]);
    await database.pool.query(`UPDATE webhooks SET ${limits} WHERE key = $1`, [keys[0]]);
    const nextCall = (at: string) =>
      database.pool.query(
        `INSERT INTO webhook_rates VALUES ($1, ${at}) ON CONFLICT (webhook_key) DO UPDATE SET next_call_at = ${at}`,
        [keys[0]],
      );
    const own = async () => (await tenant.release()).filter(({ webhookKey }) => webhookKey === keys[0]);
    return { ...tenant, made, nextCall, own };
  }

  it('are released no faster than their webhook may be called, and count for it', async () => {
    const { nextCall, own } = await twoThatHold(10, 'max_calls_per_second = 0.1, max_concurrent_calls = 1');
    await nextCall("now() + interval '1 hour'");
    expect(await own()).toEqual([]);
    await nextCall("now() - interval '1 hour'");
    expect(await own()).toMatchObject([{ holdsPlace: true }]);
    expect(await own()).toEqual([]);
    // The rate allows the next one, and the first is still under way.
    await nextCall("now() - interval '1 hour'");
    expect(await own()).toEqual([]);
    await database.pool.query('DELETE FROM limited_calls');
    expect(await own()).toHaveLength(1);
  });

  it('are released no faster either when their webhook has just got its limits', async () => {
    const { own } = await twoThatHold(10, 'max_calls_per_second = 0.1');
    expect(await own()).toHaveLength(1);
    expect(await own()).toEqual([]);
  });

  it.each([
    ['whose rate allows no call yet', 'max_calls_per_second = 0.1', "now() + interval '1 hour'"],
    ['with as many calls under way as it allows', 'max_concurrent_calls = 1', "now() - interval '1 hour'"],
  ])('leave the room under the threshold to others than a webhook %s', async (_, limits, nextCallAt) => {
    const { keys, made, nextCall, release } = await twoThatHold(2, limits);
    await nextCall(nextCallAt);
    await database.pool.query(
      "INSERT INTO limited_calls VALUES ($1, gen_random_uuid(), gen_random_uuid(), now() + interval '1 hour')",
      [keys[0]],
    );
    expect(idsOf(await release())).toEqual(made.slice(2));
  });
});
