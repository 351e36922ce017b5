import { byResource } from '@callout/domain/changes/actor';
import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { updateResource } from '@callout/tenancy/resource-changes';
import { eventually, forThisFile, startScriptedReceiver, type ReceivedRequest } from '@callout/testing';
import { useWorker } from './fixtures/use-worker.ts';
import { aWebhook, type WebhookUnderTest } from './fixtures/webhook-under-test.ts';

const secretKey = 'a secret of the receiver';
const ownerId = 1;
/** The resource that changes the webhook. */
const actor = 7;
const deactivateAfter = 3;

const worker = useWorker({
  RETRY_SCHEDULE: '20ms,20ms',
  DEACTIVATE_AFTER_FAILURES: String(deactivateAfter),
});
const receiver = forThisFile(startScriptedReceiver, (started) => started.stop());
let webhook: WebhookUnderTest;

beforeEach(async () => {
  webhook = await aWebhook(worker, { urlOf: (path) => receiver.url(path), secretKey });
});

/** Computed only by the documented rules of the two signatures. */
function isSigned({ headers, body }: ReceivedRequest): boolean {
  const sha1 = createHmac('sha1', secretKey).update(body).digest('base64');
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`;
  const sha256 = createHmac('sha256', secretKey).update(signed).update(body).digest('base64');
  return headers['x-hook-signature'] === `sha1=${sha1}` && headers['webhook-signature'] === `v1,${sha256}`;
}

async function calls(count: number): Promise<readonly ReceivedRequest[]> {
  await eventually(() => receiver.count(webhook.deactivations) >= count);
  return receiver.requests(webhook.deactivations);
}

const prisma = () => worker.database.prisma;
const ofTenant = () => ({ where: { tenantId: webhook.tenantId } });

function bodyOf({ body }: ReceivedRequest): Record<string, unknown> {
  return JSON.parse(body.toString()) as Record<string, unknown>;
}

describe('the deactivation call of a webhook', () => {
  it('is sent at once, signed, with the next number and no header about an event', async () => {
    await webhook.change(1, 2);
    await eventually(() => receiver.count(webhook.callouts) === 2);
    await webhook.allEnded();
    await webhook.update({ isActive: false }, actor);
    const [call, ...others] = await calls(1);
    await webhook.allEnded();
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
    const body = {
      Action: 'Deactivated',
      Guid: webhook.guid,
      EntityType: 'Account',
      Id: 1,
      Fields: {},
      PersonID: actor,
    };
    expect(bodyOf(call)).toMatchObject({ ...body, SequenceNumber: 3 });
    expect(call.headers).toMatchObject({ 'content-type': 'application/json', 'x-hook-attempt': '1' });
    expect(Object.keys(call.headers)).not.toContain('x-hook-callout-type');
    expect(Object.keys(call.headers)).not.toContain('x-hook-event-id');
    const [last] = (await webhook.stored()).toReversed();
    expect(last).toMatchObject({ id: call.headers['webhook-id'], kind: 'deactivation', state: 'delivered' });
  });

  it('is found by the sweep when it was not enqueued', async () => {
    await updateResource(worker.database, webhook.tenantId, ownerId, { isActive: 'false' }, byResource(actor));
    const [call] = await calls(1);
    expect(call && bodyOf(call)).toMatchObject({ SequenceNumber: 1, PersonID: actor });
  });

  it('is retried with the secret that the deleted webhook has kept', async () => {
    receiver.script(webhook.deactivations, (_, nth) => ({ status: nth < 3 ? 503 : 200 }));
    await webhook.remove(actor);
    const received = await calls(3);
    await webhook.allEnded();
    expect(received.map(isSigned)).toEqual([true, true, true]);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(received.map(({ headers }) => headers['x-hook-attempt'])).toEqual(['1', '2', '3']);
    expect(new Set(received.map(({ body }) => body.toString())).size).toBe(1);
    expect(await webhook.stored()).toMatchObject([{ state: 'delivered' }]);
  });

  it('ends only in the error log when its receiver is down: no mail, no count', async () => {
    receiver.script(webhook.deactivations, { status: 500 });
    await webhook.update({ isActive: false }, actor);
    await calls(3);
    await webhook.allEnded();
    expect(await webhook.stored()).toMatchObject([{ state: 'failed', kind: 'deactivation' }]);
    const logs = await prisma().webhookEventErrorLog.findMany(ofTenant());
    expect(logs).toMatchObject([{ webhookGuid: webhook.guid, sequenceNumber: 1n }]);
    expect(logs[0]?.payload).toContain('"Action":"Deactivated"');
    expect(await prisma().notification.count(ofTenant())).toBe(0);
    expect(await prisma().webhookHealth.count({ where: { webhookKey: webhook.webhookKey } })).toBe(0);
  });
});

describe('a receiver', () => {
  it('that responds 410 is called once more, at the other address, and gets nothing else', async () => {
    receiver.script(webhook.callouts, { status: 410 });
    await webhook.change(1);
    const [call] = await calls(1);
    await webhook.allEnded();
    expect(call && isSigned(call)).toBe(true);
    expect(call && bodyOf(call)).toMatchObject({ Action: 'Deactivated', SequenceNumber: 2, PersonID: null });
    expect((await webhook.stored()).map(({ state }) => state)).toEqual(['failed', 'delivered']);
    const notifications = await prisma().notification.findMany(ofTenant());
    expect(notifications).toMatchObject([{ kind: 'deactivated', recipient: 'owner@example.com' }]);
    expect(notifications[0]?.content).toMatchObject({ facts: { cause: 'gone' } });
    await webhook.change(2);
    await eventually(async () => (await prisma().pendingEvent.count(ofTenant())) === 0);
    expect(await webhook.stored()).toHaveLength(2);
  });

  it('that fails too often gets nothing more; after reactivation, its webhook starts again', async () => {
    receiver.script(webhook.callouts, { status: 400 });
    for (let recordId = 1; recordId <= deactivateAfter; recordId += 1) await webhook.change(recordId);
    const [call] = await calls(1);
    await webhook.allEnded();
    expect(call && bodyOf(call)).toMatchObject({ Action: 'Deactivated', PersonID: null });
    const stored = await prisma().webhook.findUniqueOrThrow({ where: { key: webhook.webhookKey } });
    expect(stored).toMatchObject({ isActive: false });
    expect(
      await prisma().change.findMany({ where: { webhookKey: webhook.webhookKey, action: 'deactivated' } }),
    ).toMatchObject([{ cause: 'repeatedFailure', actorKind: 'service', actorResourceId: null }]);
    await webhook.update({ isActive: true }, actor);
    await webhook.change(1, 2);
    await eventually(
      async () => (await webhook.stored()).filter(({ state }) => state === 'failed').length >= deactivateAfter + 2,
    );
    expect(await prisma().webhook.findUniqueOrThrow({ where: { key: webhook.webhookKey } })).toMatchObject({
      isActive: true,
    });
    const numbers = (await webhook.stored()).map(({ sequenceNumber }) => Number(sequenceNumber));
    expect(numbers).toEqual(numbers.map((_, nth) => nth + 1));
  });
});
