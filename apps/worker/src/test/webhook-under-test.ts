import { randomBytes, randomUUID } from 'node:crypto';
import { secretAad } from '@callout/core/secrets';
import type { WebhookSettings } from '@callout/core/webhook';
import { createIntakeCommit } from '@callout/db/ingest';
import { rotateSecret } from '@callout/db/repair';
import { createWebhookStore, type DueWebhooks } from '@callout/db/webhooks';
import { anEvent, insertTenant, values } from '@callout/db/fixtures';
import { eventually } from '@callout/testing';
import type { RunningWorker } from './start-worker.ts';

const entityType = 'Account';
const ownerId = 1;
const children = { fields: 'F', udfFields: 'U', excludedResources: 'X' };
const rules = { webhookCollection: 'CompanyWebhooks', maxActivePerEntity: 50, children };

/** An active webhook on companies, alone in its tenant, and what its owner and its receiver can see and do. */
export type WebhookUnderTest = Awaited<ReturnType<typeof aWebhook>>;

/** Makes a tenant with a webhook on all events of companies. Both URLs get a path of their own. */
export async function aWebhook(
  { database, keyRing, producer }: RunningWorker,
  { urlOf, secretKey }: { urlOf: (path: string) => string; secretKey: string },
) {
  const { pool, prisma } = database;
  const tenantId = await insertTenant(pool);
  await prisma.resource.create({ data: { tenantId, id: ownerId, email: 'owner@example.com' } });
  const guid = randomUUID();
  const seal = (text: string) => keyRing.seal(text, secretAad(tenantId, guid), randomBytes(12));
  const [callouts, deactivations] = [`/in/${guid}`, `/off/${guid}`];
  const webhooks = createWebhookStore(database);
  const commit = createIntakeCommit(pool);
  await webhooks.create(
    {
      tenantId,
      entityType,
      guid,
      name: 'a webhook',
      webhookUrl: urlOf(callouts),
      deactivationUrl: urlOf(deactivations),
      isActive: true,
      isSubscribedToCreateEvents: true,
      isSubscribedToUpdateEvents: true,
      isSubscribedToDeleteEvents: true,
      notificationEmailAddress: null,
      sendThresholdExceededNotification: false,
      ownerResourceId: ownerId,
      sealedSecret: seal(secretKey),
      fields: [{ fieldId: 2, name: 'companyName', isSubscribed: true, isDisplayAlways: true }],
      udfFields: [],
      excludedResources: [],
    },
    rules,
    ownerId,
  );
  const webhookKey = Number((await prisma.webhook.findUniqueOrThrow({ where: { guid } })).key);
  const address = { tenantId, entityType, id: 1 };
  const wake = ({ dueWebhookKeys: webhookKeys }: DueWebhooks): void => producer.wake('deliver', { webhookKeys });

  return {
    tenantId,
    webhookKey,
    /** Paths of the receiver. */
    callouts,
    deactivations,
    /** Accepts an event of each record, as the API does. @returns the ids of the events. */
    change: async (...recordIds: number[]): Promise<string[]> => {
      const events = recordIds.map((recordId) => anEvent({ recordId, fields: values({ companyName: randomUUID() }) }));
      const { eventIds } = await commit([{ tenantId, events }]);
      producer.wake('match', { eventIds });
      return eventIds;
    },
    update: async (settings: Partial<WebhookSettings>): Promise<void> =>
      wake(await webhooks.update(address, { settings }, rules, ownerId)),
    /** A plain change of the secret: no overlap. */
    setSecret: async (text: string): Promise<void> =>
      wake(await webhooks.update(address, { settings: {}, sealedSecret: seal(text) }, rules, ownerId)),
    rotate: (text: string, overlapHours: number): Promise<void> =>
      rotateSecret({ transaction: database.transaction, keyRing }, address, { secretKey: text, overlapHours }),
    remove: async (): Promise<void> => wake(await webhooks.remove(address, ownerId)),
    /** Its callouts, in order of their numbers. */
    stored: async () => await prisma.callout.findMany({ where: { webhookKey }, orderBy: { sequenceNumber: 'asc' } }),
    /** Its attempts, in the order in which they were made. */
    attempts: async () => await prisma.attempt.findMany({ where: { webhookKey }, orderBy: { startedAt: 'asc' } }),
    /** Waits until nothing of it is open. */
    allEnded: async (): Promise<void> => {
      const where = { where: { tenantId } };
      await eventually(
        async () => (await prisma.pendingEvent.count(where)) + (await prisma.openCallout.count(where)) === 0,
      );
    },
  };
}
