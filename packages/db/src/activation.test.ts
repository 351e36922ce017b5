import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local';
import { openDatabase, type Database } from './database.ts';
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

async function stored(key: number) {
  return database.prisma.webhook.findUniqueOrThrow({ where: { key } });
}

async function changesOf(id: number) {
  const changes = (await history.list(address(id))) ?? [];
  return changes.map(({ change, cause, actorResourceId }) => [change, cause, actorResourceId]);
}

describe('reactivation', () => {
  it('begins with a clean slate, and is kept', async () => {
    await setActive(1, false);
    // As a late result of an attempt may leave it.
    await database.prisma.webhookHealth.create({ data: { webhookKey: keys[0], failedInRow: 24, pauses: 3 } });
    const before = await stored(keys[0]);
    await expect(setActive(1, true)).resolves.toEqual({ wokenWebhookKeys: [] });
    expect(await database.prisma.webhookHealth.count({ where: { webhookKey: keys[0] } })).toBe(0);
    const after = await stored(keys[0]);
    expect(after.activatedAt?.getTime()).toBeGreaterThan(before.activatedAt?.getTime() ?? Infinity);
    expect(await changesOf(1)).toEqual([
      ['activated', 'user', actor],
      ['deactivated', 'user', actor],
    ]);
  });

  it('is refused while the owner is inactive or deleted, and nothing is kept of it', async () => {
    await resources.update(tenantId, 1, { isActive: 'false' }, actor);
    await expect(setActive(1, true)).rejects.toMatchObject({ status: 409 });
    await resources.remove(tenantId, 1, actor);
    await expect(setActive(1, true)).rejects.toMatchObject({ status: 409 });
    expect(await changesOf(1)).toEqual([['deactivated', 'ownerDeactivated', actor]]);
  });

  it('keeps the failures of a webhook that was active already', async () => {
    await database.prisma.webhookHealth.create({ data: { webhookKey: keys[0], failedInRow: 24 } });
    await webhooks.update(address(1), { settings: { isActive: true, name: 'new' } }, rules, actor);
    expect(await database.prisma.webhookHealth.count({ where: { webhookKey: keys[0] } })).toBe(1);
    expect(await changesOf(1)).toEqual([]);
  });
});
