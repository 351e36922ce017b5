import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import { claimDueCallouts } from '@callout/pipeline/deliver/claim';
import { claimRules, delivered, failed, settlementOf, settleRules } from '@callout/pipeline/fixtures/callouts';
import { settleAttempts } from '@callout/pipeline/settle/settle';
import { eventually } from '@callout/testing';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenantWithWebhooks } from '../../fixtures/tenant-with-webhooks.ts';
import { tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenantWithWebhooks(api));

beforeEach(async () => {
  api.queue.isReady = true;
});

const sendTest = (id: number | string = 1, as = tenant.integrator) =>
  api.call('POST', `/CompanyWebhooks/${id}/test`, { as });
const rowOf = (id = 1) => api.database.prisma.webhook.findFirstOrThrow({ where: { tenantId: tenant.id, id } });

/** Claims the next callout of the first webhook, as the worker does once it has the job. */
async function claimed(): Promise<ClaimedCallout> {
  const webhookKey = Number((await rowOf()).key);
  return eventually(async () => {
    expect(api.enqueuedWebhooks).toContain(webhookKey);
    const [callout] = await claimDueCallouts(api.database.pool, [{ webhookKey, slots: 1 }], claimRules);
    if (callout === undefined) throw new Error('nothing is due');
    return callout;
  });
}

describe('POST …/test', () => {
  it('sends one sample of all fields of the webhook, and returns its attempt', async () => {
    const as = tenant.integrator;
    for (const field of [
      { field: 'companyName' },
      { field: 'isActive', isDisplayAlwaysField: true },
      { field: 'lastActivityDate' },
    ]) {
      const body = { isSubscribedField: true, ...field };
      expect(await api.call('POST', '/CompanyWebhooks/1/Fields', { as, body })).toMatchObject({ status: 200 });
    }
    await api.call('POST', '/CompanyWebhooks/1/UdfFields', { as, body: { udfField: 'Tier', isSubscribedField: true } });
    const answering = sendTest();
    const callout = await claimed();
    const { guid, lastSequence } = await rowOf();
    expect(callout).toMatchObject({ kind: 'test', action: 'Update', recordId: 0, sequenceNumber: 0, eventId: null });
    const body = JSON.parse(callout.body) as Record<string, unknown>;
    expect(Object.keys(body)).toEqual([
      ...['Action', 'Guid', 'EntityType', 'Id', 'Fields', 'EventTime', 'SequenceNumber', 'PersonID'],
    ]);
    expect(body).toMatchObject({
      Action: 'Update',
      Guid: guid,
      EntityType: 'Account',
      Id: 0,
      SequenceNumber: 0,
      PersonID: 1,
    });
    expect(body['Fields']).toEqual({
      CompanyName: 'Northwind',
      IsActive: 'true',
      LastActivityDate: '2026-01-15T09:30:00Z',
      'The Tier': 'The Tier',
    });
    await settleAttempts(api.database.pool, [settlementOf(callout, delivered)], settleRules);
    expect(await answering).toMatchObject({
      status: 202,
      body: {
        calloutID: callout.id,
        state: 'delivered',
        attempt: { durationMs: 5, url: 'http://127.0.0.1/in', status: 200, failure: null },
      },
    });
    // It uses no sequence number, and is not sent again.
    expect((await rowOf()).lastSequence).toBe(lastSequence);
    for (const verb of ['redeliver', 'cancel']) {
      const again = await api.call('POST', `/CompanyWebhooks/1/Callouts/${callout.id}/${verb}`, { as });
      expect(again.status).toBe(verb === 'redeliver' ? 409 : 200);
    }
  });

  it('reports the refusal of the receiver', async () => {
    const answering = sendTest();
    const settlement = settlementOf(await claimed(), failed);
    await settleAttempts(api.database.pool, [settlement], settleRules);
    expect(await answering).toMatchObject({
      status: 202,
      body: {
        state: 'failed',
        attempt: { status: 400, failure: expect.stringMatching(/^The receiver answered 400: /u) },
      },
    });
  });

  it('waits for no record and holds none up', async () => {
    const answering = [sendTest(), sendTest()];
    const both = [await claimed(), await claimed()];
    await settleAttempts(
      api.database.pool,
      both.map((callout) => settlementOf(callout, delivered)),
      settleRules,
    );
    for (const response of await Promise.all(answering))
      expect(response).toMatchObject({ body: { state: 'delivered' } });
  });

  it('lets no more than three tests of a tenant wait, over all entities', async () => {
    await api.call('POST', '/ContactWebhooks', { as: tenant.integrator, body: webhookBody() });
    const waiting = [sendTest(), sendTest(), sendTest()];
    const callouts = [await claimed(), await claimed(), await claimed()];
    const refused = await sendTest(2);
    expect(refused).toMatchObject({ status: 429 });
    const ofContact = await api.call('POST', '/ContactWebhooks/1/test', { as: tenant.integrator });
    expect(ofContact).toMatchObject({ status: 429 });
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    await settleAttempts(
      api.database.pool,
      callouts.map((callout) => settlementOf(callout, delivered)),
      settleRules,
    );
    for (const response of await Promise.all(waiting)) expect(response.status).toBe(202);
  });

  it('is 503 without a queue, 409 when inactive, 404 when there is no such webhook; then nothing is stored', async () => {
    api.queue.isReady = false;
    const away = await sendTest();
    expect(away).toMatchObject({ status: 503 });
    expect(away.headers.get('Retry-After')).not.toBeNull();
    expect(await sendTest(3)).toMatchObject({ status: 404 });
    api.queue.isReady = true;
    expect(await sendTest(1, tenant.source)).toMatchObject({ status: 403 });
    await api.call('PATCH', '/CompanyWebhooks/2', { as: tenant.integrator, body: { isActive: false } });
    expect(await sendTest(2)).toMatchObject({ status: 409 });
    const where = { tenantId: tenant.id, kind: 'test' };
    expect(await api.database.prisma.callout.count({ where })).toBe(0);
  });
});
