import { expect, it } from '@jest/globals';
import { buildCatalogue } from '@callout/core';
import { createDisposableDatabase } from '@callout/local';
import type { QueryConfig } from 'pg';
import { type Client } from '../connection/database.ts';
import { insertTenant, insertWebhook } from '../fixtures/tenant.ts';
import { useDatabase } from '../test/own-database.ts';
import { createSubscriptionReader, groupKeyOf } from './subscriptions.ts';

const database = useDatabase(createDisposableDatabase);

it('leaves no webhook out when another match takes the place of what is kept meanwhile', async () => {
  const read = createSubscriptionReader(buildCatalogue([]), 2);
  const group = async (webhooks: number) => {
    const tenantId = await insertTenant(database.pool);
    const keys: number[] = [];
    for (let id = 1; id <= webhooks; id += 1) keys.push(await insertWebhook(database.pool, tenantId, id));
    return { tenantId, entityType: 'Account', keys };
  };
  const [mine, other] = [await group(2), await group(2)];
  await read(database.pool, [mine]);
  await database.pool.query('UPDATE webhooks SET version = version + 1 WHERE key = $1', [mine.keys[1]]);
  let statements = 0;
  // Between the versions and the stale subscription of the one, the other reads, and fills all there is room for.
  const interrupted = {
    query: async (config: QueryConfig) => {
      statements += 1;
      if (statements === 2) await read(database.pool, [other]);
      return database.pool.query(config);
    },
  } as unknown as Client;
  const subscriptions = (await read(interrupted, [mine])).get(groupKeyOf(mine)) ?? [];
  expect(subscriptions.map(({ webhookKey }) => webhookKey)).toEqual(mine.keys);
});
