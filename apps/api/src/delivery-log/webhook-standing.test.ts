import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '@callout/testing';
import { insertLoggedCallout } from '../fixtures/logged-callout.ts';
import { startTestApi, type TestApi } from '../fixtures/test-api.ts';
import { makeTenant, type TestTenant } from '../fixtures/test-tenant.ts';
import { webhookBody } from '../fixtures/webhook-body.ts';
import { itemOf, listOf } from './test/listed.ts';

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  api = await startTestApi(testDatabase.url, { CALLOUT_THRESHOLD: '250' });
});
afterAll(async () => {
  await api.stop();
  await testDatabase.drop();
});
beforeEach(async () => {
  tenant = await makeTenant(api.database);
});

const subscribed = { fields: [{ fieldID: 2, isSubscribedField: true }] };
const displayed = { fields: [{ fieldID: 2, isDisplayAlwaysField: true }] };

async function make(change: Record<string, unknown>): Promise<void> {
  const made = await api.call('POST', '/CompanyWebhooks', { as: tenant.integrator, body: webhookBody(change) });
  expect(made.status).toBe(200);
}
const readiness = async () => itemOf(await api.call('GET', '/CompanyWebhooks/1/readiness', { as: tenant.integrator }));
const reasonsOf = async () =>
  ((await readiness())['reasons'] as { code: string; blocks: boolean }[]).map(({ code, blocks }) => [code, blocks]);

async function keyOfWebhook(): Promise<bigint> {
  const [webhook] = await api.database.prisma.webhook.findMany({ where: { tenantId: tenant.id } });
  return webhook?.key ?? 0n;
}

describe('readiness', () => {
  it('is nothing to say of a webhook that gets callouts', async () => {
    await make(subscribed);
    expect(await readiness()).toEqual({
      webhookID: 1,
      webhookGUID: expect.any(String),
      isActive: true,
      isReady: true,
      getsCallouts: true,
      reasons: [],
    });
  });

  it.each<[string, Record<string, unknown>, [string, boolean][]]>([
    ['no field', {}, [['noFieldRecord', true]]],
    ['no field, but deletions', { isSubscribedToDeleteEvents: true }, [['noFieldRecord', false]]],
    ['deletions alone', { isSubscribedToUpdateEvents: false, isSubscribedToDeleteEvents: true }, []],
    ['nothing subscribed', { ...subscribed, isSubscribedToUpdateEvents: false }, [['subscribedToNothing', true]]],
    ['displayed fields alone', displayed, [['noSubscribedField', true]]],
    [
      'displayed fields, and creations',
      { ...displayed, isSubscribedToCreateEvents: true },
      [['noSubscribedField', false]],
    ],
    ['inactive', { ...subscribed, isActive: false }, [['inactive', true]]],
    [
      'inactive and no field',
      { isActive: false },
      [
        ['inactive', true],
        ['noFieldRecord', true],
      ],
    ],
  ])('names each reason: %s', async (_, change, expected) => {
    await make(change);
    expect(await reasonsOf()).toEqual(expected);
    expect((await readiness())['getsCallouts']).toBe(!expected.some(([, blocks]) => blocks));
  });

  it('counts user-defined fields as fields', async () => {
    const definition = { entityType: 'Account', name: 'Tier', dataType: 'string' };
    await api.call('POST', '/UserDefinedFieldDefinitions', { as: tenant.admin, body: definition });
    await make({ udfFields: [{ udfField: 'Tier', isSubscribedField: true }] });
    expect(await reasonsOf()).toEqual([]);
  });

  it('says since when and why it is inactive, and that its owner is', async () => {
    await make(subscribed);
    await api.call('PATCH', '/Resources/1', { as: tenant.admin, body: { isActive: false } });
    const answer = await api.call('GET', '/CompanyWebhooks/1/readiness', { as: tenant.admin });
    expect(itemOf(answer)).toMatchObject({
      isActive: false,
      getsCallouts: false,
      reasons: [
        {
          code: 'inactive',
          message: expect.stringMatching(
            /^The webhook is inactive since 20\d\d-.*Z \(its owner was deactivated\): set /,
          ),
        },
        { code: 'ownerInactive', blocks: true },
      ],
    });
  });

  it('says that its receiver is down, and what the threshold holds', async () => {
    await make(subscribed);
    await insertLoggedCallout(api, tenant.id, { state: 'held' });
    await api.database.prisma.webhookHealth.create({
      data: {
        webhookKey: await keyOfWebhook(),
        pauses: 1,
        pausedUntil: new Date('2100-01-01T00:00:00Z'),
        lastFailure: 'The receiver answered 503.',
      },
    });
    expect(await readiness()).toMatchObject({
      isReady: true,
      getsCallouts: false,
      reasons: [
        {
          code: 'receiverPaused',
          message: expect.stringMatching(/asked again at 2100-01-01T00:00:00.000Z. The last failure: .* 503/),
        },
        { code: 'held', message: expect.stringContaining('holds 1 callouts'), blocks: false },
      ],
    });
  });

  it('is 404 without the webhook', async () => {
    for (const path of ['/CompanyWebhooks/1', '/ContactWebhooks/x', '/CompanyWebhooks/0']) {
      const answer = await api.call('GET', `${path}/readiness`, { as: tenant.integrator });
      expect(answer.status).toBe(404);
    }
  });
});

describe('a callout while its receiver is down', () => {
  it('shows until when and why it is put off, and when that was before', async () => {
    await make(subscribed);
    const { prisma } = api.database;
    const webhookKey = await keyOfWebhook();
    const change = (ms: number, words: object) =>
      prisma.webhookChange.create({
        data: {
          id: idAt(Date.now() + ms),
          at: new Date(Date.now() + ms),
          tenantId: tenant.id,
          webhookKey,
          change: 'paused',
          cause: 'receiverDown',
          ...words,
        },
      });
    await change(-9000, { detail: 'The one before the last.' });
    await change(-8000, { change: 'resumed', cause: 'receiverAnswered' });
    await change(-5000, { detail: 'The receiver answered 503.' });
    const { calloutId } = await insertLoggedCallout(api, tenant.id, { state: 'due' });
    const pausedUntil = new Date('2100-01-01T00:00:00Z');
    await prisma.webhookHealth.create({
      data: { webhookKey, pauses: 2, pausedUntil, lastFailure: 'The receiver answered 503.' },
    });
    const answer = await api.call('GET', `/CompanyWebhooks/1/Callouts/${calloutId}`, { as: tenant.integrator });
    expect(itemOf(answer)).toMatchObject({
      state: 'due',
      nextAttemptDateTime: '2100-01-01T00:00:00.000Z',
      waitsFor: { reason: 'receiver', message: expect.stringContaining('503'), until: '2100-01-01T00:00:00.000Z' },
      pauses: [
        {
          changeDateTime: expect.any(String),
          change: 'paused',
          cause: 'receiverDown',
          message: 'Callouts to the webhook were put off: The receiver answered 503.',
        },
      ],
    });
  });

  it('waits behind the callout of its record that goes first', async () => {
    await make(subscribed);
    await insertLoggedCallout(api, tenant.id, { state: 'due', sequenceNumber: 1 });
    await insertLoggedCallout(api, tenant.id, { state: 'waiting', sequenceNumber: 2 });
    await insertLoggedCallout(api, tenant.id, { state: 'waiting', sequenceNumber: 3 });
    const list = await api.call('GET', '/CompanyWebhooks/1/Callouts?state=waiting', { as: tenant.integrator });
    expect(listOf(list).items.map((item) => item['waitsFor'])).toEqual([
      expect.objectContaining({ reason: 'earlierCallout', sequenceNumber: 2 }),
      expect.objectContaining({ reason: 'earlierCallout', sequenceNumber: 1 }),
    ]);
  });
});

describe('GET /CalloutThresholds', () => {
  const thresholds = async () => listOf(await api.call('GET', '/CalloutThresholds', { as: tenant.integrator })).items;

  it('tells limit and use of every entity, the limit being the installation’s or the tenant’s own', async () => {
    const nothing = { limit: 250, used: 0, held: 0, oldestHeldDateTime: null, heldSinceDateTime: null };
    const entityTypes = ['Account', 'InstalledProduct', 'Contact', 'TicketNote', 'Ticket'];
    const rows = await thresholds();
    expect(rows).toHaveLength(entityTypes.length);
    expect(rows).toEqual(expect.arrayContaining(entityTypes.map((entityType) => ({ entityType, ...nothing }))));
    for (const callouts of [0, 40]) {
      await api.database.prisma.tenant.update({ where: { id: tenant.id }, data: { calloutThreshold: callouts } });
      expect((await thresholds()).map(({ limit }) => limit)).toEqual(entityTypes.map(() => callouts));
    }
  });

  it('counts the last 3,600 seconds, and what is held', async () => {
    await make(subscribed);
    const second = (ago: number) => new Date(Math.floor(Date.now() / 1000 - ago) * 1000);
    await api.database.prisma.thresholdUse.createMany({
      data: [
        { tenantId: tenant.id, entityType: 'Account', second: second(3605), used: 1000 },
        { tenantId: tenant.id, entityType: 'Account', second: second(3500), used: 20 },
        { tenantId: tenant.id, entityType: 'Account', second: second(1), used: 3 },
        { tenantId: tenant.id, entityType: 'Contact', second: second(1), used: 500 },
      ],
    });
    const episodeStartedAt = new Date('2026-03-04T05:06:07.008Z');
    await api.database.prisma.thresholdWindow.create({
      data: { tenantId: tenant.id, entityType: 'Account', used: 9999, episodeStartedAt },
    });
    await insertLoggedCallout(api, tenant.id, { state: 'held', sequenceNumber: 1, recordId: 1 });
    await insertLoggedCallout(api, tenant.id, { state: 'held', sequenceNumber: 2, recordId: 2 });
    const callouts = listOf(await api.call('GET', '/CompanyWebhooks/1/Callouts', { as: tenant.integrator })).items;
    expect((await thresholds()).find(({ entityType }) => entityType === 'Account')).toEqual({
      entityType: 'Account',
      limit: 250,
      used: 23,
      held: 2,
      oldestHeldDateTime: callouts.at(-1)?.['createDateTime'],
      heldSinceDateTime: '2026-03-04T05:06:07.008Z',
    });
  });
});

/** An id of a moment, as rows get it that are made then. */
function idAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${Math.random().toString(16).slice(2, 14).padEnd(12, '0')}`;
}
