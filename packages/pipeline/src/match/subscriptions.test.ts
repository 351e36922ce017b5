import { expect, it } from '@jest/globals';
import { buildCatalogue } from '@callout/domain/catalogue/catalogue';
import { createDisposableDatabase } from '@callout/local/test-run';
import type { QueryConfig } from 'pg';
import { type Client } from '@callout/database/connection/database';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { createSubscriptionReader, groupKeyOf, readGroupVersions } from './load.ts';

const database = useDatabase(createDisposableDatabase);

it('no webhook is left out when a concurrent match replaces the cached subscriptions', async () => {
  const read = createSubscriptionReader(buildCatalogue([]), 2);
  const group = async (webhooks: number) => {
    const tenantId = await insertTenant(database.pool);
    const keys: number[] = [];
    for (let id = 1; id <= webhooks; id += 1) keys.push(await insertWebhook(database.pool, tenantId, id));
    return { tenantId, entityType: 'Account', keys };
  };
  const [mine, other] = [await group(2), await group(2)];
  await read(database.pool, [await readGroupVersions(database.pool, mine)]);
  await database.pool.query('UPDATE webhooks SET version = version + 1 WHERE key = $1', [mine.keys[1]]);
  let statements = 0;
  // Before the stale subscription of one is read, the other reads its own, and fills the whole cache.
  const interrupted = {
    query: async (config: QueryConfig) => {
      statements += 1;
      if (statements === 1) await read(database.pool, [await readGroupVersions(database.pool, other)]);
      return database.pool.query(config);
    },
  } as unknown as Client;
  const versions = await readGroupVersions(database.pool, mine);
  const subscriptions = (await read(interrupted, [versions])).get(groupKeyOf(mine)) ?? [];
  expect(subscriptions.map(({ webhookKey }) => webhookKey)).toEqual(mine.keys);
});
