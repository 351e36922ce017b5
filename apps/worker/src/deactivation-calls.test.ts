import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { secretAad } from '@callout/core/secrets';
import type { Database } from '@callout/db/connection';
import { createIntakeCommit } from '@callout/db/ingest';
import { createResourceStore } from '@callout/db/tenants';
import { createWebhookStore, type DueWebhooks } from '@callout/db/webhooks';
import { anEvent, insertTenant, values } from '@callout/db/fixtures';
import { eventually, forThisFile, startScriptedReceiver, type ReceivedRequest } from '@callout/testing';
import { useWorker } from './fixtures/use-worker.ts';

const secretKey = 'a secret of the receiver';
const ownerId = 1;
const actor = 7;
const children = { fields: 'F', udfFields: 'U', excludedResources: 'X' };
const rules = { webhookCollection: 'CompanyWebhooks', maxActivePerEntity: 50, children };
const deactivateAfter = 3;

const worker = useWorker({
  RETRY_SCHEDULE: '20ms,20ms',
  DEACTIVATE_AFTER_FAILURES: String(deactivateAfter),
  SWEEP_EVERY_MS: '50',
});
const receiver = forThisFile(startScriptedReceiver, (started) => started.stop());
let database: Database;
let commit: ReturnType<typeof createIntakeCommit>;
let webhooks: ReturnType<typeof createWebhookStore>;
let resources: ReturnType<typeof createResourceStore>;
let tenantId: number;
let key: number;
let guid: string;
/** Paths of the receiver. */
let callouts: string;
let deactivations: string;

beforeAll(() => {
  ({ database } = worker);
  commit = createIntakeCommit(database.pool);
  webhooks = createWebhookStore(database);
  resources = createResourceStore(database);
});

beforeEach(async () => {
  tenantId = await insertTenant(database.pool);
  await database.prisma.resource.create({ data: { tenantId, id: ownerId, email: 'owner@example.com' } });
  guid = randomUUID();
  [callouts, deactivations] = [`/in/${guid}`, `/off/${guid}`];
  await webhooks.create(
    {
      tenantId,
      entityType: 'Account',
      guid,
      name: 'a webhook',
      webhookUrl: receiver.url(callouts),
      deactivationUrl: receiver.url(deactivations),
      isActive: true,
      isSubscribedToCreateEvents: true,
      isSubscribedToUpdateEvents: true,
      isSubscribedToDeleteEvents: true,
      notificationEmailAddress: null,
      sendThresholdExceededNotification: false,
      ownerResourceId: ownerId,
      sealedSecret: worker.keyRing.seal(secretKey, secretAad(tenantId, guid), randomBytes(12)),
      fields: [{ fieldId: 2, name: 'companyName', isSubscribed: true, isDisplayAlways: true }],
      udfFields: [],
      excludedResources: [],
    },
    rules,
    ownerId,
  );
  key = Number((await database.prisma.webhook.findUniqueOrThrow({ where: { guid } })).key);
});

const address = () => ({ tenantId, entityType: 'Account', id: 1 });
const enqueue = ({ dueWebhookKeys: webhookKeys }: DueWebhooks): void =>
  worker.producer.enqueue('deliver', { webhookKeys });
const setActive = async (isActive: boolean) =>
  enqueue(await webhooks.update(address(), { settings: { isActive } }, rules, actor));

/** Accepts an event of each record, as the API does. */
async function change(...recordIds: number[]): Promise<void> {
  const events = recordIds.map((recordId) => anEvent({ recordId, fields: values({ companyName: randomUUID() }) }));
  const { eventIds } = await commit([{ tenantId, events }]);
  worker.producer.enqueueEvents(eventIds);
}

/** Computed by what the documentation says of the two signatures alone. */
function isSigned({ headers, body }: ReceivedRequest): boolean {
  const sha1 = createHmac('sha1', secretKey).update(body).digest('base64');
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`;
  const sha256 = createHmac('sha256', secretKey).update(signed).update(body).digest('base64');
  return headers['x-hook-signature'] === `sha1=${sha1}` && headers['webhook-signature'] === `v1,${sha256}`;
}

async function calls(count: number): Promise<readonly ReceivedRequest[]> {
  await eventually(() => receiver.count(deactivations) >= count);
  return receiver.requests(deactivations);
}

async function storedCallouts() {
  return database.prisma.callout.findMany({ where: { webhookKey: key }, orderBy: { sequenceNumber: 'asc' } });
}

async function allEnded(): Promise<void> {
  await eventually(async () => (await database.prisma.openCallout.count({ where: { tenantId } })) === 0);
}

function bodyOf({ body }: ReceivedRequest): Record<string, unknown> {
  return JSON.parse(body.toString()) as Record<string, unknown>;
}

describe('the call that tells that a webhook went inactive', () => {
  it('goes out at once, signed, with the next number and no header that speaks of an event', async () => {
    await change(1, 2);
    await eventually(() => receiver.count(callouts) === 2);
    await allEnded();
    await setActive(false);
    const [call, ...others] = await calls(1);
    await allEnded();
    expect(others).toEqual([]);
    if (call === undefined) throw new Error('no call arrived');
    expect(isSigned(call)).toBe(true);
    expect(call.method).toBe('POST');
    expect(Object.keys(bodyOf(call))).toEqual([
      'Action',
      'Guid',
      'EntityType',
      'Id',
      'Fields',
      'EventTime',
      'SequenceNumber',
      'PersonID',
    ]);
    const body = { Action: 'Deactivated', Guid: guid, EntityType: 'Account', Id: 1, Fields: {}, PersonID: actor };
    expect(bodyOf(call)).toMatchObject({ ...body, SequenceNumber: 3 });
    expect(call.headers).toMatchObject({ 'content-type': 'application/json', 'x-hook-attempt': '1' });
    expect(Object.keys(call.headers)).not.toContain('x-hook-callout-type');
    expect(Object.keys(call.headers)).not.toContain('x-hook-event-id');
    const [last] = (await storedCallouts()).toReversed();
    expect(last).toMatchObject({ id: call.headers['webhook-id'], kind: 'deactivation', state: 'delivered' });
  });

  it('is found by the sweep when it was not enqueued', async () => {
    await resources.update(tenantId, ownerId, { isActive: 'false' }, actor);
    const [call] = await calls(1);
    expect(call && bodyOf(call)).toMatchObject({ SequenceNumber: 1, PersonID: actor });
  });

  it('is tried again with the secret that the deleted webhook kept', async () => {
    receiver.script(deactivations, (_, nth) => ({ status: nth < 3 ? 503 : 200 }));
    enqueue(await webhooks.remove(address(), actor));
    const received = await calls(3);
    await allEnded();
    expect(received.map(isSigned)).toEqual([true, true, true]);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(received.map(({ headers }) => headers['x-hook-attempt'])).toEqual(['1', '2', '3']);
    expect(new Set(received.map(({ body }) => body.toString())).size).toBe(1);
    expect(await storedCallouts()).toMatchObject([{ state: 'delivered' }]);
  });

  it('ends in the error log alone when its receiver is down: no mail, no count', async () => {
    receiver.script(deactivations, { status: 500 });
    await setActive(false);
    await calls(3);
    await allEnded();
    expect(await storedCallouts()).toMatchObject([{ state: 'failed', kind: 'deactivation' }]);
    const logs = await database.prisma.webhookEventErrorLog.findMany({ where: { tenantId } });
    expect(logs).toMatchObject([{ webhookGuid: guid, sequenceNumber: 1n }]);
    expect(logs[0]?.payload).toContain('"Action":"Deactivated"');
    expect(await database.prisma.notification.count({ where: { tenantId } })).toBe(0);
    expect(await database.prisma.webhookHealth.count({ where: { webhookKey: key } })).toBe(0);
  });
});

describe('a receiver', () => {
  it('that answers 410 is called once more, at the other address, and gets nothing else', async () => {
    receiver.script(callouts, { status: 410 });
    await change(1);
    const [call] = await calls(1);
    await allEnded();
    expect(call && isSigned(call)).toBe(true);
    expect(call && bodyOf(call)).toMatchObject({ Action: 'Deactivated', SequenceNumber: 2, PersonID: null });
    expect((await storedCallouts()).map(({ state }) => state)).toEqual(['failed', 'delivered']);
    const notifications = await database.prisma.notification.findMany({ where: { tenantId } });
    expect(notifications).toMatchObject([{ kind: 'deactivated', recipient: 'owner@example.com' }]);
    expect(notifications[0]?.content).toMatchObject({ facts: { cause: 'gone' } });
    await change(2);
    await eventually(async () => (await database.prisma.pendingEvent.count({ where: { tenantId } })) === 0);
    expect(await storedCallouts()).toHaveLength(2);
  });

  it('that fails too often is given up; activated again, its webhook starts over', async () => {
    receiver.script(callouts, { status: 400 });
    for (let recordId = 1; recordId <= deactivateAfter; recordId += 1) await change(recordId);
    const [call] = await calls(1);
    await allEnded();
    expect(call && bodyOf(call)).toMatchObject({ Action: 'Deactivated', PersonID: null });
    const stored = await database.prisma.webhook.findUniqueOrThrow({ where: { key } });
    expect(stored).toMatchObject({ isActive: false });
    expect(
      await database.prisma.webhookChange.findMany({ where: { webhookKey: key, change: 'deactivated' } }),
    ).toMatchObject([{ cause: 'repeatedFailure', actorResourceId: null }]);
    await setActive(true);
    await change(1, 2);
    await eventually(
      async () => (await storedCallouts()).filter(({ state }) => state === 'failed').length >= deactivateAfter + 2,
    );
    expect(await database.prisma.webhook.findUniqueOrThrow({ where: { key } })).toMatchObject({ isActive: true });
    const numbers = (await storedCallouts()).map(({ sequenceNumber }) => Number(sequenceNumber));
    expect(numbers).toEqual(numbers.map((_, nth) => nth + 1));
  });
});
