import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local';
import { openDatabase, type Database } from './database.ts';
import { deactivationCallsOf } from './fixtures/deactivation-calls.ts';
import { insertTenant, insertWebhook } from './fixtures/tenant.ts';
import { applyMigrations } from './migrations.ts';
import { createResourceStore, type ResourceStore } from './resources.ts';
import { createWebhookStore, type WebhookStore } from './webhooks.ts';

const rules = { webhookCollection: 'CompanyWebhooks', maxActivePerEntity: 50 };
const actor = 7;

let disposable: DisposableDatabase;
let database: Database;
let webhooks: WebhookStore;
let resources: ResourceStore;
let tenantId: number;
/** Of the webhooks 1 and 2, both owned by resource 1. */
let keys: [number, number];

beforeAll(async () => {
  disposable = await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) });
  database = openDatabase({ url: disposable.url, poolSize: 8, applicationName: 'test', onError: () => undefined });
  webhooks = createWebhookStore(database);
  resources = createResourceStore(database);
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

const callsOf = (webhookKey: number) => deactivationCallsOf(database.pool, webhookKey);

async function stored(key: number) {
  return database.prisma.webhook.findUniqueOrThrow({ where: { key } });
}

async function noticesOf(webhookKey: number) {
  return database.prisma.notification.findMany({ where: { webhookKey }, orderBy: { recipient: 'asc' } });
}

describe('the owner of webhooks', () => {
  it('takes all of them along, and is told at the address that it has or had last', async () => {
    await resources.update(tenantId, 1, { isActive: 'false', email: 'new@example.com' }, actor);
    for (const key of keys) {
      expect(await callsOf(key)).toHaveLength(1);
      expect((await noticesOf(key)).map(({ recipient }) => recipient)).toEqual(['new@example.com']);
    }
    await resources.update(tenantId, 1, { isActive: 'false' }, actor);
    await expect(resources.remove(tenantId, 1, actor)).resolves.toEqual({ wokenWebhookKeys: [] });
    for (const key of keys) expect(await callsOf(key)).toHaveLength(1);
  });

  it('leaves those that are inactive as they are', async () => {
    await setActive(1, false);
    const before = await stored(keys[0]);
    await expect(resources.remove(tenantId, 1, actor)).resolves.toEqual({ wokenWebhookKeys: [keys[1]] });
    expect(await stored(keys[0])).toEqual(before);
  });

  it('raises the version of a webhook that only excluded it', async () => {
    await database.prisma.resource.create({ data: { tenantId, id: 2, email: 'other@example.com' } });
    const exclusion = { tenantId, entityType: 'Account', id: 1, webhookKey: keys[1], resourceId: 2 };
    await database.prisma.webhookExcludedResource.create({ data: exclusion });
    await expect(resources.remove(tenantId, 2, actor)).resolves.toEqual({ wokenWebhookKeys: [] });
    expect(await stored(keys[0])).toMatchObject({ isActive: true, version: 1 });
    expect(await stored(keys[1])).toMatchObject({ isActive: true, version: 2 });
  });
});
