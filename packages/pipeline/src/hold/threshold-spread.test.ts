import { describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { useDatabase } from '@callout/database/fixtures/own-database';
import type { ThresholdMode } from '@callout/domain/threshold';
import { aTenantWithThreshold, hourS, idsOf } from './threshold.fixture.ts';

const database = useDatabase(createDisposableDatabase);

/** A tenant whose threshold of eight is spread: six go out as fast as they come, two over the hour. */
const aTenantThatSpreads = () => aTenantWithThreshold(database, 8, 2, 'spread');

describe('a threshold that spreads', () => {
  it('holds what is above three quarters, and releases it at the pace of the rest, oldest first', async () => {
    const { add, claim, release, pass } = await aTenantThatSpreads();
    const made: string[] = [];
    for (let recordId = 1; recordId <= 10; recordId += 1) made.push(await add(recordId, recordId % 2));
    expect(await claim()).toHaveLength(6);
    // The claim takes the callouts of a webhook by their age, so the held ones are the newest of all.
    expect(idsOf(await release())).toEqual([made[6]]);
    expect(await release()).toEqual([]);
    // Two in an hour: the next one is due after half of it.
    await pass(1_700);
    expect(await release()).toEqual([]);
    await pass(200);
    expect(idsOf(await release())).toEqual([made[7]]);
    // The limit holds.
    await pass(1_600);
    expect(await release()).toEqual([]);
    await pass(200);
    // The six of the begin do not count any more.
    expect(idsOf(await release())).toEqual(made.slice(8));
  });

  it('is one episode, with one mail that forecasts, until less than half is used', async () => {
    const { tenantId, add, claim, release, pass, mails, states } = await aTenantThatSpreads();
    for (let recordId = 1; recordId <= 7; recordId += 1) await add(recordId);
    await claim();
    expect(await release()).toHaveLength(1);
    expect(await mails()).toEqual(['thresholdNear 0']);
    const { rows } = await database.pool.query<{ facts: Record<string, unknown> }>(
      `SELECT content -> 'facts' AS facts FROM notifications WHERE tenant_id = $1`,
      [tenantId],
    );
    expect(rows).toEqual([{ facts: expect.objectContaining({ limit: 8, held: 1, reachedAt: expect.any(String) }) }]);
    // Nothing is held, and a new one does not go out before its time, as part of the same episode.
    const late = await add(8);
    expect(await claim()).toEqual([]);
    expect(await states()).toMatchObject({ held: 1 });
    await pass(hourS);
    expect(idsOf(await release())).toEqual([late]);
    await release();
    expect(await mails()).toEqual(['thresholdNear 0', 'caughtUp 0']);
    await add(9);
    expect(await claim()).toHaveLength(1);
  });

  it('holds nothing beyond its limit that the mode hold would send, after the mode is changed', async () => {
    const { tenantId, add, claim, release } = await aTenantThatSpreads();
    for (let recordId = 1; recordId <= 10; recordId += 1) await add(recordId);
    await claim();
    await release();
    await database.pool.query("UPDATE tenants SET threshold_mode = 'hold' WHERE id = $1", [tenantId]);
    expect(await release()).toHaveLength(1);
    expect(await release()).toEqual([]);
  });
});

describe('a webhook that spreads, in a tenant that does not', () => {
  /** Of two webhooks, the first spreads. They share a threshold of eight. */
  async function aWebhookThatSpreads() {
    const tenant = await aTenantWithThreshold(database, 8, 2);
    const setMode = (mode: ThresholdMode) =>
      database.pool.query('UPDATE webhooks SET threshold_mode = $2 WHERE key = $1', [tenant.keys[0], mode]);
    await setMode('spread');
    return { ...tenant, setMode };
  }

  it('is held from three quarters on, and the other one only at the limit', async () => {
    const { add, claim, mails } = await aWebhookThatSpreads();
    for (let recordId = 1; recordId <= 6; recordId += 1) await add(recordId, 1);
    expect(await claim()).toHaveLength(6);
    const seventh = await add(7, 1);
    expect(idsOf(await claim())).toEqual([seventh]);
    expect(await mails()).toEqual([]);
    await add(8, 0);
    expect(await claim()).toEqual([]);
    expect(await mails()).toEqual(['thresholdNear 0']);
  });

  it('makes the other one wait behind its held callouts, at the same pace', async () => {
    const { add, claim, release, pass } = await aWebhookThatSpreads();
    for (let recordId = 1; recordId <= 6; recordId += 1) await add(recordId, 1);
    await claim();
    const [first, second] = [await add(7, 0), await add(8, 0)];
    expect(await claim()).toEqual([]);
    const behind = await add(9, 1);
    expect(await claim()).toEqual([]);
    expect(idsOf(await release())).toEqual([first]);
    expect(await release()).toEqual([]);
    await pass(1_900);
    expect(idsOf(await release())).toEqual([second]);
    await pass(1_900);
    expect(idsOf(await release())).toEqual([behind]);
  });

  it('lets go what the mode hold would send, once its mode is changed', async () => {
    const { add, claim, release, setMode } = await aWebhookThatSpreads();
    for (let recordId = 1; recordId <= 8; recordId += 1) await add(recordId, 0);
    expect(await claim()).toHaveLength(6);
    await setMode('hold');
    expect(await release()).toHaveLength(2);
  });
});
