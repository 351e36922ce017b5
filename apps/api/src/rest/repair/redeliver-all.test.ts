import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { failure } from '../../fixtures/failure.ts';
import { insertLoggedCallout, type LoggedCalloutOptions } from '../../fixtures/logged-callout.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenantWithWebhooks } from '../../fixtures/tenant-with-webhooks.ts';
import { tenantPerTest } from '../../fixtures/test-tenant.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenantWithWebhooks(api));

const redeliver = (body: unknown, as = tenant.integrator) => api.call('POST', '/Callouts/redeliver', { as, body });
const insert = (options: LoggedCalloutOptions) => insertLoggedCallout(api, tenant.id, options);
const stateOf = async (id: string) => (await api.database.prisma.callout.findUniqueOrThrow({ where: { id } })).state;
const since = '2020-01-01T00:00:00Z';

describe('POST /Callouts/redeliver', () => {
  it('redelivers failed callouts of all webhooks, and says before and after what that means for the order', async () => {
    const older = await insert({ state: 'failed', sequenceNumber: 1, recordId: 7 });
    await insert({ state: 'delivered', sequenceNumber: 2, recordId: 7 });
    const other = await insert({ state: 'failed', sequenceNumber: 1, webhookId: 2 });
    const cancelled = await insert({ state: 'cancelled', sequenceNumber: 3, recordId: 8 });
    const result = {
      queued: 2,
      order: { older: 1, message: expect.stringContaining('1 of 2 callouts is older than a callout') },
      filter: { states: ['failed'], since: '2020-01-01T00:00:00.000Z', webhookGUIDs: null, entityType: null },
      webhooks: [
        { webhookID: 1, webhookGUID: older.webhookGuid, queued: 1 },
        { webhookID: 2, webhookGUID: other.webhookGuid, queued: 1 },
      ],
      skipped: [],
    };
    expect(await redeliver({ since, dryRun: true })).toMatchObject({ status: 200, body: { ...result, dryRun: true } });
    expect(await stateOf(older.calloutId)).toBe('failed');
    expect(await redeliver({ since })).toMatchObject({ status: 200, body: { ...result, dryRun: false } });
    for (const { calloutId } of [older, other]) expect(await stateOf(calloutId)).toBe('open');
    expect(await stateOf(cancelled.calloutId)).toBe('cancelled');
    expect(await redeliver({ since })).toMatchObject({ body: { queued: 0, webhooks: [], skipped: [] } });
  });

  it('is limited by webhook, entity, reason, record and ids', async () => {
    const one = await insert({ state: 'failed', sequenceNumber: 1, recordId: 7 });
    const two = await insert({ state: 'failed', sequenceNumber: 1, recordId: 8, webhookId: 2 });
    const dry = async (range: object) =>
      ((await redeliver({ ...range, dryRun: true })).body as { queued: number }).queued;
    expect(await dry({ webhookGUIDs: [two.webhookGuid] })).toBe(1);
    expect(await dry({ webhookGUIDs: [randomUUID()] })).toBe(0);
    expect(await dry({ entityType: 'Account' })).toBe(2);
    expect(await dry({ entityType: 'Contact' })).toBe(0);
    expect(await dry({ reasons: ['timeout'] })).toBe(2);
    expect(await dry({ reasons: ['status5xx'] })).toBe(0);
    expect(await dry({ recordID: 8 })).toBe(1);
    expect(await dry({ calloutIDs: [one.calloutId, randomUUID()] })).toBe(1);
    const stranger = await makeTenantWithWebhooks(api);
    const ofOthers = { calloutIDs: [one.calloutId], webhookGUIDs: [one.webhookGuid] };
    expect(await redeliver(ofOthers, stranger.admin)).toMatchObject({ status: 200, body: { queued: 0, skipped: [] } });
    expect(await stateOf(one.calloutId)).toBe('failed');
  });

  it('leaves callouts of inactive and deleted webhooks alone, and names these', async () => {
    const [inactive, deleted] = [
      await insert({ state: 'failed', sequenceNumber: 1 }),
      await insert({ state: 'failed', sequenceNumber: 1, webhookId: 2 }),
    ];
    await api.database.pool.query('UPDATE webhooks SET is_active = false WHERE tenant_id = $1 AND id = 1', [tenant.id]);
    await api.call('DELETE', '/CompanyWebhooks/2', { as: tenant.integrator });
    expect(await redeliver({ since })).toMatchObject({
      status: 200,
      body: {
        queued: 0,
        webhooks: [],
        skipped: [
          { webhookID: 1, webhookState: 'inactive', count: 1, message: expect.stringContaining('activate it') },
          { webhookID: 2, webhookState: 'deleted', count: 1, message: expect.stringContaining('was deleted') },
        ],
      },
    });
    for (const { calloutId } of [inactive, deleted]) expect(await stateOf(calloutId)).toBe('failed');
  });

  it('races with a deactivation: a callout is then open, cancelled or still failed, and its webhook is named', async () => {
    for (let number = 1; number <= 20; number += 1)
      await insert({ state: 'failed', sequenceNumber: number, recordId: number });
    const deactivate = api.call('PATCH', '/CompanyWebhooks', {
      as: tenant.integrator,
      body: { id: 1, isActive: false },
    });
    const [answer, deactivated] = await Promise.all([redeliver({ since }), deactivate]);
    expect([answer.status, deactivated.status]).toEqual([200, 200]);
    const { queued, skipped } = answer.body as { queued: number; skipped: unknown[] };
    expect(queued + skipped.length).toBeGreaterThan(0);
    const { rows } = await api.database.pool.query<{ state: string }>(
      "SELECT DISTINCT state FROM callouts WHERE tenant_id = $1 AND kind = 'event'",
      [tenant.id],
    );
    expect(rows).toEqual([{ state: queued > 0 ? 'cancelled' : 'failed' }]);
  });

  it.each([
    [undefined, 'required'],
    [{}, 'required'],
    [{ dryRun: true }, 'required'],
    [{ raesons: ['timeout'] }, 'required'],
    [{ since, reasons: [] }, 'invalid'],
    [{ since, reasons: ['busy'] }, 'invalid'],
    [{ reasons: ['timeout'], states: ['cancelled'] }, 'invalid'],
    [{ since, dryRun: 'yes' }, 'invalid'],
    [{ webhookGUIDs: [] }, 'invalid'],
    [{ webhookGUIDs: 'all' }, 'invalid'],
    [{ webhookGUIDs: ["x'; DROP TABLE callouts"] }, 'invalid'],
    [{ entityType: 7 }, 'invalid'],
    [{ since, fromSequence: 1 }, 'invalid'],
  ])('refuses %j', async (body, code) => {
    expect(await redeliver(body)).toMatchObject({ status: 400, body: failure(code) });
  });

  it('counts as a redelivery of the hour, and a dry run does not', async () => {
    for (let n = 0; n < 61; n += 1) expect((await redeliver({ since, dryRun: true })).status).toBe(200);
    for (let n = 0; n < 60; n += 1) expect((await redeliver({ since })).status).toBe(200);
    expect(await redeliver({ since })).toMatchObject({ status: 429 });
    expect((await redeliver({ since, dryRun: true })).status).toBe(200);
  });
});

describe('POST …/redeliver of one webhook', () => {
  const post = (verb: string, body: unknown) =>
    api.call('POST', `/CompanyWebhooks/1/${verb}`, { as: tenant.integrator, body });

  it('takes reasons and a dry run, and says what that means for the order', async () => {
    const { calloutId } = await insert({ state: 'failed', sequenceNumber: 1, recordId: 7 });
    const dry = await post('redeliver', { reasons: ['timeout'], dryRun: true });
    expect(dry).toMatchObject({
      status: 200,
      body: {
        queued: 1,
        dryRun: true,
        filter: { states: ['failed'], reasons: ['timeout'] },
        order: { older: 0, message: expect.stringContaining('No receiver gets an older value') },
      },
    });
    expect(await stateOf(calloutId)).toBe('failed');
    expect(await post('redeliver', { reasons: ['status5xx'] })).toMatchObject({ body: { queued: 0 } });
    expect(await post('redeliver', { reasons: ['timeout'] })).toMatchObject({
      body: { queued: 1, order: { older: 0 } },
    });
    expect(await stateOf(calloutId)).toBe('open');
  });

  it.each(['cancel', 'retryNow'])('alone: %s refuses both, and changes nothing', async (verb) => {
    const { calloutId } = await insert({ state: 'due', sequenceNumber: 1 });
    for (const given of [{ dryRun: true }, { reasons: ['timeout'] }]) {
      expect(await post(verb, { fromSequence: 1, ...given })).toMatchObject({ status: 400, body: failure('invalid') });
    }
    expect(await stateOf(calloutId)).toBe('open');
  });
});
