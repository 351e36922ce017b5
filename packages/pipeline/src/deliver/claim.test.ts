import { describe, expect, it } from '@jest/globals';
import { storeTest } from '../repair/test-callout.ts';
import { createDisposableDatabase } from '@callout/local/test-run';
import { aTenantWithCallouts } from '../fixtures/delivery.ts';
import { useDatabase } from '@callout/database/fixtures/own-database';

const database = useDatabase(createDisposableDatabase);

describe('a test callout', () => {
  it('does not wait behind a backlog, since a person waits for its result', async () => {
    const tenant = await aTenantWithCallouts(database);
    for (let recordId = 1; recordId <= 20; recordId += 1) await tenant.add(recordId);
    const webhook = { tenantId: tenant.tenantId, entityType: 'Account', id: 1 };
    const test = await storeTest({ database, enqueueDeliver: () => undefined }, webhook, {
      action: 'Update',
      bodyOf: () => '{}',
    });
    const claimed = await tenant.claim(4);
    expect(claimed.map(({ id }) => id)).toContain(test);
    expect(claimed.filter(({ kind }) => kind === 'event')).toHaveLength(4);
    expect(await tenant.claim(100)).toHaveLength(16);
  });
});
