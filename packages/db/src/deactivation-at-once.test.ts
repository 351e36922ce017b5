import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local';
import { inTransaction, openDatabase, type Database } from './database.ts';
import { deactivateWebhooks, type DeactivationCause } from './deactivation.ts';
import { deactivationCallsOf } from './fixtures/deactivation-calls.ts';
import { insertTenant, insertWebhook } from './fixtures/tenant.ts';
import { applyMigrations } from './migrations.ts';
import { createResourceStore, type ResourceStore } from './resources.ts';
import { createWebhookHistory, type WebhookHistory } from './webhook-history.ts';
import { createWebhookStore, type WebhookStore } from './webhooks.ts';

const rules = { webhookCollection: 'CompanyWebhooks', maxActivePerEntity: 50 };
const actor = 7;

let disposable: DisposableDatabase;
let database: Database;
let webhooks: WebhookStore;
let resources: ResourceStore;
let history: WebhookHistory;
let tenantId: number;
/** Of the webhooks 1 and 2, both owned by resource 1. */
let keys: [number, number];

beforeAll(async () => {
  disposable = await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) });
  database = openDatabase({ url: disposable.url, poolSize: 8, applicationName: 'test', onError: () => undefined });
  webhooks = createWebhookStore(database);
  resources = createResourceStore(database);
  history = createWebhookHistory(database);
});

beforeEach(async () => {
  tenantId = await insertTenant(database.pool);
  await database.prisma.resource.create({ data: { tenantId, id: 1, email: 'owner@example.com' } });
  keys = [await insertWebhook(database.pool, tenantId, 1), await insertWebhook(database.pool, tenantId, 2)];
});

afterAll(async () => {
  await database.close();
  await disposable.drop();
});

const address = (id: number) => ({ tenantId, entityType: 'Account', id });
const setActive = (id: number, isActive: boolean) =>
  webhooks.update(address(id), { settings: { isActive } }, rules, actor);

/** Deactivates as the worker does, which knows a webhook by its key. */
async function deactivate(webhookKeys: readonly number[], cause: DeactivationCause, actorResourceId: number | null) {
  return inTransaction(database.pool, async (transaction) => {
    await transaction.query('SELECT FROM webhooks WHERE key = ANY($1) ORDER BY key FOR NO KEY UPDATE', [webhookKeys]);
    return deactivateWebhooks(transaction, { webhookKeys, cause, actorResourceId });
  });
}

const callsOf = (webhookKey: number) => deactivationCallsOf(database.pool, webhookKey);

async function stored(key: number) {
  return database.prisma.webhook.findUniqueOrThrow({ where: { key } });
}

async function changesOf(id: number) {
  const changes = (await history.list(address(id))) ?? [];
  return changes.map(({ change, cause, actorResourceId }) => [change, cause, actorResourceId]);
}

describe('several that deactivate at once', () => {
  it('make one call of each webhook', async () => {
    for (let round = 1; round <= 10; round += 1) {
      await Promise.all([
        setActive(1, false),
        resources.update(tenantId, 1, { isActive: 'false' }, actor),
        deactivate(keys, 'repeatedFailure', null),
        deactivate(keys.toReversed(), 'gone', null),
        setActive(2, false),
      ]);
      for (const key of keys) {
        const calls = await callsOf(key);
        expect(calls.map(({ sequenceNumber }) => sequenceNumber)).toEqual(
          Array.from({ length: round }, (_, n) => n + 1),
        );
        expect(await stored(key)).toMatchObject({ isActive: false, lastSequence: BigInt(round) });
      }
      expect(await changesOf(1)).toHaveLength(2 * round - 1);
      await resources.update(tenantId, 1, { isActive: 'true' }, actor);
      await Promise.all([setActive(1, true), setActive(2, true)]);
    }
  });

  it('with a deletion among them make one call or two, and it stays deleted', async () => {
    await Promise.all(
      [setActive(1, false), webhooks.remove(address(1), actor)].map((one) => one.catch(() => undefined)),
    );
    const calls = await callsOf(keys[0]);
    expect([1, 2]).toContain(calls.length);
    expect(await stored(keys[0])).toMatchObject({ deletedAt: expect.any(Date), lastSequence: BigInt(calls.length) });
  });
});
