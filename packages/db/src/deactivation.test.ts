import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local';
import { inTransaction, openDatabase, type Database } from './database.ts';
import { deactivateWebhooks, type DeactivationCause } from './deactivation.ts';
import { claimDueCallouts } from './delivery/claim.ts';
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

async function noticesOf(webhookKey: number) {
  return database.prisma.notification.findMany({ where: { webhookKey }, orderBy: { recipient: 'asc' } });
}

describe('a webhook that goes inactive', () => {
  it('gets one call, with the next number, whose body tells what, when and who', async () => {
    await database.pool.query('UPDATE webhooks SET last_sequence = 41 WHERE key = $1', [keys[0]]);
    await expect(setActive(1, false)).resolves.toEqual({ wokenWebhookKeys: [keys[0]] });
    const { guid, updatedAt, lastSequence } = await stored(keys[0]);
    const [call, ...others] = await callsOf(keys[0]);
    expect(others).toEqual([]);
    const eventTime = `${updatedAt.toISOString().slice(0, 19)}Z`;
    expect(call).toEqual({
      sequenceNumber: 42,
      state: 'due',
      body:
        `{"Action":"Deactivated","Guid":"${guid}","EntityType":"Account","Id":1,"Fields":{},"EventTime":"${eventTime}",` +
        '"SequenceNumber":42,"PersonID":7}',
    });
    expect(lastSequence).toBe(42n);
    expect(await callsOf(keys[1])).toEqual([]);
  });

  it('gets no other while it stays so, and one when it is deleted', async () => {
    await setActive(1, false);
    await expect(setActive(1, false)).resolves.toEqual({ wokenWebhookKeys: [] });
    await webhooks.update(address(1), { settings: { name: 'new' } }, rules, actor);
    await expect(deactivate([keys[0]], 'gone', null)).resolves.toEqual({ wokenWebhookKeys: [] });
    expect(await callsOf(keys[0])).toHaveLength(1);
    await expect(webhooks.remove(address(1), actor)).resolves.toEqual({ wokenWebhookKeys: [keys[0]] });
    expect((await callsOf(keys[0])).map(({ sequenceNumber }) => sequenceNumber)).toEqual([1, 2]);
    await expect(webhooks.remove(address(1), actor)).rejects.toMatchObject({ status: 404 });
    await expect(deactivate([keys[0]], 'deleted', null)).resolves.toEqual({ wokenWebhookKeys: [] });
    expect(await callsOf(keys[0])).toHaveLength(2);
  });

  it('and is deleted at once gets one call only', async () => {
    await webhooks.remove(address(1), actor);
    expect(await callsOf(keys[0])).toEqual([{ sequenceNumber: 1, state: 'due', body: expect.any(String) }]);
    expect(await stored(keys[0])).toMatchObject({ isActive: false, deletedAt: expect.any(Date), version: 2 });
  });

  it('is called at the address that the same update gave it', async () => {
    const settings = { isActive: false, deactivationUrl: 'http://127.0.0.1/new' };
    await webhooks.update(address(1), { settings }, rules, actor);
    expect(await stored(keys[0])).toMatchObject({ isActive: false, deactivationUrl: 'http://127.0.0.1/new' });
    expect(await callsOf(keys[0])).toHaveLength(1);
  });
});

describe('deactivation calls that are still being tried', () => {
  it('outlive reactivation, deactivation and deletion, and go out one after another', async () => {
    await setActive(1, false);
    const [claimed] = await claimDueCallouts(database.pool, [{ webhookKey: keys[0], places: 1 }], {
      leaseMs: 60_000,
      threshold: 1,
    });
    expect(claimed).toMatchObject({ recordId: -1, action: 'Deactivated', sequenceNumber: 1 });
    await setActive(1, true);
    await setActive(1, false);
    await webhooks.remove(address(1), actor);
    expect((await callsOf(keys[0])).map(({ state }) => state)).toEqual(['due', 'waiting', 'waiting']);
  });
});

describe('whatever deactivates a webhook', () => {
  const causes = [
    ['user', () => setActive(1, false), actor],
    ['ownerDeactivated', () => resources.update(tenantId, 1, { isActive: 'false' }, actor), actor],
    ['ownerDeleted', () => resources.remove(tenantId, 1, actor), actor],
    ['ownerDeactivated', () => resources.update(tenantId, 1, { isActive: 'false' }, null), null],
    ['repeatedFailure', () => deactivate([keys[0]], 'repeatedFailure', null), null],
    ['gone', () => deactivate([keys[0]], 'gone', null), null],
  ] as const;

  it.each(causes)('is named in its history and, who did it, in its call: %s', async (cause, act, personId) => {
    const { wokenWebhookKeys } = await act();
    expect(wokenWebhookKeys).toContain(keys[0]);
    expect(await changesOf(1)).toEqual([['deactivated', cause, personId]]);
    const [call] = await callsOf(keys[0]);
    expect(JSON.parse(call?.body ?? '')).toMatchObject({ PersonID: personId, Id: 1 });
    expect(await stored(keys[0])).toMatchObject({ isActive: false, version: 2, deletedAt: null });
  });

  it.each(causes)(
    'is told to the owner and the other address unless a user did it: %s',
    async (cause, act, _personId) => {
      const data = { notificationEmailAddress: 'ops@example.com' };
      await database.prisma.webhook.update({ where: { key: keys[0] }, data });
      await act();
      const notices = await noticesOf(keys[0]);
      const told = cause === 'user' ? [] : ['ops@example.com', 'owner@example.com'];
      expect(notices.map(({ kind, recipient }) => [kind, recipient])).toEqual(told.map((one) => ['deactivated', one]));
      for (const { content } of notices) expect(content).toMatchObject({ facts: { cause, cancelledCallouts: 0 } });
    },
  );

  it('is kept as deleted when it was that', async () => {
    await webhooks.remove(address(1), actor);
    const kept = await database.prisma.webhookChange.findMany({ where: { webhookKey: keys[0] } });
    expect(kept).toMatchObject([{ tenantId, change: 'deleted', cause: 'user', actorResourceId: actor, detail: null }]);
    expect(await noticesOf(keys[0])).toEqual([]);
    expect(await history.list(address(1))).toBeUndefined();
  });

  it('is explained by the last failure, which is then forgotten', async () => {
    const health = { failedInRow: 25, lastFailure: 'The receiver answered 500.' };
    await database.prisma.webhookHealth.create({ data: { webhookKey: keys[0], ...health } });
    await deactivate([keys[0]], 'repeatedFailure', null);
    expect(await history.list(address(1))).toMatchObject([{ detail: health.lastFailure }]);
    expect((await noticesOf(keys[0]))[0]?.content).toMatchObject({ facts: health });
    expect(await database.prisma.webhookHealth.count({ where: { webhookKey: keys[0] } })).toBe(0);
  });
});
