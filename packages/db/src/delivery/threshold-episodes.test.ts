import { describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local';
import { useDatabase } from '../test/own-database.ts';
import { aThresholdWorld, hourS } from './test/threshold-world.ts';

const database = useDatabase(createDisposableDatabase);

describe('an episode in which the threshold holds callouts', () => {
  it('is mailed once when it begins and once when it ends, to the webhooks that had a callout held', async () => {
    const { add, claim, release, pass, mails } = await aThresholdWorld(database, 1, 3);
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

  it('ends when its held callouts were cancelled', async () => {
    const { tenantId, add, claim, release, mails } = await aThresholdWorld(database, 1, 1);
    for (const recordId of [1, 2]) await add(recordId);
    await claim();
    await database.pool.query("DELETE FROM open_callouts WHERE tenant_id = $1 AND state = 'held'", [tenantId]);
    expect(await release()).toEqual([]);
    expect(await mails()).toEqual(['thresholdExceeded 0', 'caughtUp 0']);
  });
});
