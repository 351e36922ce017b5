import { describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { aDeliveryWorld } from '../fixtures/delivery-world.ts';
import { createCalloutRepairs } from '../repair/callout-repairs.ts';
import { useDatabase } from '../test/own-database.ts';

const database = useDatabase(createDisposableDatabase);

describe('a test', () => {
  it('does not wait behind a backlog: who asked for it is waiting', async () => {
    const world = await aDeliveryWorld(database);
    for (let recordId = 1; recordId <= 20; recordId += 1) await world.add(recordId);
    const repairs = createCalloutRepairs({ pool: database.pool, enqueueDeliver: () => undefined });
    const webhook = { tenantId: world.tenantId, entityType: 'Account', id: 1 };
    const test = await repairs.storeTest(webhook, { action: 'Update', body: '{}' });
    const claimed = await world.claim(4);
    expect(claimed.map(({ id }) => id)).toContain(test);
    expect(claimed.filter(({ kind }) => kind === 'event')).toHaveLength(4);
    expect(await world.claim(100)).toHaveLength(16);
  });
});
