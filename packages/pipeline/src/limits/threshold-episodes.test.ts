import { describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { aTenantWithThreshold, hourS } from './threshold.fixture.ts';

const database = useDatabase(createDisposableDatabase);

describe('an episode in which the threshold holds callouts', () => {
  it('is reported by mail once at its begin and once at its end, to the webhooks that had a callout held', async () => {
    const { add, claim, release, pass, mails } = await aTenantWithThreshold(database, 1, 3);
    const episode = async (nth: number) => {
      for (const record of [1, 2, 3]) await add(10 * nth + record);
      await claim();
      await add(10 * nth + 4, 1);
      await claim();
      await pass(hourS);
      await release();
      for (let round = 0; round < 3; round += 1) {
        await pass(hourS);
        await release();
      }
    };
    await episode(1);
    const once = ['thresholdExceeded 0', 'thresholdExceeded 1', 'caughtUp 0', 'caughtUp 1'];
    expect(await mails()).toEqual(once);
    await pass(hourS);
    await episode(2);
    expect(await mails()).toEqual([...once, ...once]);
  });

  it('is reported to each webhook with the number of its own callouts at the end', async () => {
    const { tenantId, add, claim, release, pass } = await aTenantWithThreshold(database, 1, 2);
    for (const recordId of [1, 2, 3]) await add(recordId);
    for (const recordId of [4, 5]) await add(recordId, 1);
    expect(await claim()).toHaveLength(1);
    for (const recordId of [6, 7, 8, 9]) await add(recordId);
    expect(await claim()).toHaveLength(0);
    await database.pool.query('UPDATE tenants SET callout_threshold = 100 WHERE id = $1', [tenantId]);
    await pass(hourS);
    expect(await release()).toHaveLength(8);
    const notifications = await database.prisma.notification.findMany({
      where: { tenantId },
      orderBy: [{ kind: 'desc' }, { webhookKey: 'asc' }],
    });
    const held = notifications.map(({ kind, content }) => [kind, (content as { facts: { held: number } }).facts.held]);
    expect(held).toEqual([
      ['thresholdExceeded', undefined],
      ['thresholdExceeded', undefined],
      ['caughtUp', 6],
      ['caughtUp', 2],
    ]);
  });

  it('ends when its held callouts are cancelled', async () => {
    const { tenantId, add, claim, release, mails } = await aTenantWithThreshold(database, 1, 1);
    for (const recordId of [1, 2]) await add(recordId);
    await claim();
    await database.pool.query("DELETE FROM open_callouts WHERE tenant_id = $1 AND state = 'held'", [tenantId]);
    expect(await release()).toEqual([]);
    expect(await mails()).toEqual(['thresholdExceeded 0', 'caughtUp 0']);
  });
});
