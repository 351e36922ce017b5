import { beforeAll, beforeEach } from '@jest/globals';
import { inTransaction, type Database } from '../connection/database.ts';
import { deactivateWebhooks, type DeactivationCause } from '../deactivate/deactivation.ts';
import { deactivationCallsOf } from '../fixtures/deactivation-calls.ts';
import { insertTenant, insertWebhook } from '../fixtures/tenant.ts';
import { createResourceStore, type ResourceStore } from '../tenants/resources.ts';
import { createWebhookHistory, type WebhookHistory } from '../webhooks/webhook-history.ts';
import { createWebhookStore, type WebhookStore } from '../webhooks/webhooks.ts';
import { useDatabase, type CreateDatabase } from './own-database.ts';

export const rules = { webhookCollection: 'CompanyWebhooks', maxActivePerEntity: 50 };
/** The resource that does things to webhooks. */
export const actor = 7;

interface WebhookScene {
  database: Database;
  webhooks: WebhookStore;
  resources: ResourceStore;
  history: WebhookHistory;
  tenantId: number;
  /** Of the webhooks 1 and 2, both owned by resource 1. */
  keys: [number, number];
}

/** For the tests of a file: a database of its own, and for each test a tenant with two active webhooks on companies. */
export function useWebhookScene(createDatabase: CreateDatabase) {
  const database = useDatabase(createDatabase);
  const scene = { database } as WebhookScene;

  beforeAll(() => {
    const [webhooks, resources] = [createWebhookStore(database), createResourceStore(database)];
    Object.assign(scene, { webhooks, resources, history: createWebhookHistory(database) });
  });

  beforeEach(async () => {
    const { pool, prisma } = database;
    const tenantId = await insertTenant(pool);
    await prisma.resource.create({ data: { tenantId, id: 1, email: 'owner@example.com' } });
    const keys = [await insertWebhook(pool, tenantId, 1), await insertWebhook(pool, tenantId, 2)];
    Object.assign(scene, { tenantId, keys });
  });

  const address = (id: number) => ({ tenantId: scene.tenantId, entityType: 'Account', id });
  return {
    scene,
    address,
    setActive: (id: number, isActive: boolean) =>
      scene.webhooks.update(address(id), { settings: { isActive } }, rules, actor),
    /** Deactivates as the worker does, which knows a webhook by its key. */
    deactivate: (webhookKeys: readonly number[], cause: DeactivationCause, actorResourceId: number | null) =>
      inTransaction(scene.database.pool, async (transaction) => {
        const lock = 'SELECT FROM webhooks WHERE key = ANY($1) ORDER BY key FOR NO KEY UPDATE';
        await transaction.query(lock, [webhookKeys]);
        return deactivateWebhooks(transaction, { webhookKeys, cause, actorResourceId });
      }),
    callsOf: (webhookKey: number) => deactivationCallsOf(scene.database.pool, webhookKey),
    stored: (key: number) => scene.database.prisma.webhook.findUniqueOrThrow({ where: { key } }),
    changesOf: async (id: number) => {
      const changes = (await scene.history.list(address(id))) ?? [];
      return changes.map(({ change, cause, actorResourceId }) => [change, cause, actorResourceId]);
    },
    notificationsOf: (webhookKey: number) =>
      scene.database.prisma.notification.findMany({ where: { webhookKey }, orderBy: { recipient: 'asc' } }),
  };
}
