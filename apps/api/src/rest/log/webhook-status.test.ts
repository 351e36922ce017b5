import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { insertLoggedCallout } from '../../fixtures/logged-callout.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';
import { itemOf, listOf } from './listed.fixture.ts';

const recorded = { entity: 'webhook', actorKind: 'service', fields: [] };

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

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
    const response = await api.call('GET', '/CompanyWebhooks/1/readiness', { as: tenant.admin });
    expect(itemOf(response)).toMatchObject({
      isActive: false,
      getsCallouts: false,
      reasons: [
        {
          code: 'inactive',
          message: expect.stringMatching(
            /^The webhook has been inactive since 20\d\d-.*Z: its owner was deactivated\. Set isActive to true\.$/,
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
          message:
            'The webhook is paused because its receiver is down. No callout waits to be sent: a test, or the next callout, finds out whether it is back. The last failure: The receiver answered 503.',
        },
        { code: 'held', message: expect.stringContaining('back (1 at this moment)'), blocks: false },
      ],
    });
  });

  it.each([
    ['at the end of the pause', '2100-01-01', '2000-01-01', null, 'is made at 2100-01-01T00:00:00.000Z.'],
    [
      'when the first callout is due after it',
      '2000-01-01',
      '2100-01-01',
      null,
      'is made at 2100-01-01T00:00:00.000Z.',
    ],
    ['in a moment', '2000-01-01', '2000-01-01', null, 'The next call is made in a moment.'],
    ['now', '2100-01-01', '2000-01-01', randomUUID(), 'A call is being made to find out'],
  ])('says that a paused receiver is called %s', async (_, pausedUntil, dueAt, probeLease, words) => {
    await make(subscribed);
    await insertLoggedCallout(api, tenant.id, { state: 'due' });
    await api.database.prisma.openCallout.updateMany({
      where: { tenantId: tenant.id },
      data: { dueAt: new Date(dueAt), leaseUntil: null },
    });
    const health = { pauses: 1, pausedUntil: new Date(pausedUntil), probeLease };
    await api.database.prisma.webhookHealth.create({ data: { webhookKey: await keyOfWebhook(), ...health } });
    expect(await readiness()).toMatchObject({ reasons: [{ message: expect.stringContaining(words) }] });
  });

  it.each([
    ['gone', 'The receiver answered 410: it is gone for good.', 'Z: the receiver answered 410 (gone). Set isActive'],
    [
      'repeatedFailure',
      'The receiver answered 500.',
      'in a row failed. The last failure: The receiver answered 500. Set',
    ],
  ])('says once why its receiver is the reason (%s)', async (cause, detail, words) => {
    await make({ ...subscribed, isActive: false });
    const webhookKey = await keyOfWebhook();
    await api.database.prisma.change.create({
      data: {
        id: idAt(Date.now()),
        tenantId: tenant.id,
        webhookKey,
        action: 'deactivated',
        cause,
        detail,
        ...recorded,
      },
    });
    const { reasons } = (await readiness()) as { reasons: { message: string }[] };
    expect(reasons[0]?.message).toContain(words);
    expect(reasons[0]?.message.match(/410|500/gu)).toHaveLength(1);
  });

  it('says that nothing gets through, though nothing is rescheduled yet', async () => {
    await make(subscribed);
    const failingSince = new Date('2026-01-02T03:04:05Z');
    await api.database.prisma.webhookHealth.create({
      data: {
        webhookKey: await keyOfWebhook(),
        failedInRow: 2,
        failingSince,
        lastFailure: 'The receiver answered 404.',
      },
    });
    expect(await readiness()).toMatchObject({
      getsCallouts: true,
      reasons: [
        {
          code: 'receiverFailing',
          message:
            'No callout has been delivered since 2026-01-02T03:04:05.000Z, and 2 callouts in a row failed. The last failure: The receiver answered 404.',
          blocks: false,
        },
      ],
    });
  });

  it('says when a failing receiver is called next, by an attempt or by a probe', async () => {
    await make(subscribed);
    await insertLoggedCallout(api, tenant.id, { state: 'due' });
    await api.database.prisma.openCallout.updateMany({
      where: { tenantId: tenant.id },
      data: { dueAt: new Date('2100-01-02T00:00:00Z'), leaseUntil: null, attemptsMade: 1 },
    });
    const health = { failingSince: new Date('2026-01-02T03:04:05Z'), probeAt: new Date('2100-01-01T00:00:00Z') };
    await api.database.prisma.webhookHealth.create({ data: { webhookKey: await keyOfWebhook(), ...health } });
    const message =
      'No callout has been delivered since 2026-01-02T03:04:05.000Z. The next call is made at 2100-01-01T00:00:00.000Z.';
    expect(await readiness()).toMatchObject({ reasons: [{ message }] });
    const probe =
      'The last attempt failed; the next one is made at 2100-01-02T00:00:00.000Z. Its webhook is probed at 2100-01-01T00:00:00.000Z: when a call is answered with 2xx, everything that waits is sent.';
    const callouts = listOf(await api.call('GET', '/Callouts', { as: tenant.integrator }));
    expect(callouts).toMatchObject({ items: [{ waitsFor: { message: probe } }] });
  });

  it('says that no program fetches its callouts, here and wherever its state is shown', async () => {
    await make({ ...subscribed, webhookUrl: 'pull:', deactivationUrl: 'pull:' });
    const failingSince = new Date('2026-01-02T03:04:05Z');
    const data = { webhookKey: await keyOfWebhook(), failingSince, isUnfetched: true };
    await api.database.prisma.webhookHealth.create({ data });
    const message =
      'No program has fetched callouts of the webhook, though some have been due since 2026-01-02T03:04:05.000Z. Check that the program is running, and that its requests are not refused.';
    expect(await readiness()).toMatchObject({
      getsCallouts: true,
      reasons: [{ code: 'notFetched', message, blocks: false }],
    });
    const as = tenant.integrator;
    expect(await api.call('GET', '/Webhooks?state=failing', { as })).toMatchObject({
      body: {
        items: [{ webhookID: 1, state: 'failing', sinceDateTime: failingSince.toISOString(), sentence: message }],
      },
    });
    expect(await api.call('GET', '/Overview', { as })).toMatchObject({
      body: { items: [{ kind: 'notFetched', sentence: message, remedy: { kind: 'wait', method: null } }] },
    });
    // Its receiver is called from now on, and not fetched from.
    const body = { webhookUrl: 'http://127.0.0.1:9999/in' };
    expect((await api.call('PATCH', '/CompanyWebhooks/1', { as, body })).status).toBe(200);
    expect(await readiness()).toMatchObject({ reasons: [{ code: 'receiverFailing' }] });
  });

  it('says that its secret cannot be read, as its callouts and /readyz do', async () => {
    await make(subscribed);
    const { calloutId } = await insertLoggedCallout(api, tenant.id, { state: 'due' });
    await api.database.prisma.webhook.update({
      where: { key: await keyOfWebhook() },
      data: { secretKeyId: 'lost' },
    });
    expect(await readiness()).toMatchObject({
      getsCallouts: false,
      reasons: [{ code: 'secretKeyMissing', message: expect.stringContaining('(lost)'), blocks: true }],
    });
    const waitsFor = expect.objectContaining({ reason: 'secretKey' });
    const path = `/CompanyWebhooks/1/Callouts`;
    const response = await api.call('GET', `${path}/${calloutId}`, { as: tenant.integrator });
    expect(itemOf(response)).toMatchObject({ state: 'due', waitsFor });
    const list = await api.call('GET', path, { as: tenant.integrator });
    expect(listOf(list).items).toEqual([expect.objectContaining({ waitsFor })]);
    const ready = await fetch(`${api.url}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({
      notices: expect.arrayContaining([expect.stringContaining('SECRET_KEYS lacks the key lost: 1 webhook secret is')]),
    });
  });

  it('is 404 without the webhook', async () => {
    for (const path of ['/CompanyWebhooks/1', '/ContactWebhooks/x', '/CompanyWebhooks/0']) {
      const response = await api.call('GET', `${path}/readiness`, { as: tenant.integrator });
      expect(response.status).toBe(404);
    }
  });
});

describe('a callout while its receiver is down', () => {
  it('shows until when and why it is paused, and when that was before', async () => {
    await make(subscribed);
    const { prisma } = api.database;
    const webhookKey = await keyOfWebhook();
    const change = (ms: number, words: object) =>
      prisma.change.create({
        data: {
          id: idAt(Date.now() + ms),
          at: new Date(Date.now() + ms),
          tenantId: tenant.id,
          webhookKey,
          action: 'paused',
          ...recorded,
          cause: 'receiverDown',
          ...words,
        },
      });
    await change(-9000, { detail: 'The one before the last.' });
    await change(-8000, { action: 'resumed', cause: 'receiverAnswered' });
    await change(-5000, { detail: 'The receiver answered 503.' });
    const { calloutId } = await insertLoggedCallout(api, tenant.id, { state: 'due' });
    const pausedUntil = new Date('2100-01-01T00:00:00Z');
    await prisma.webhookHealth.create({
      data: { webhookKey, pauses: 2, pausedUntil, lastFailure: 'The receiver answered 503.' },
    });
    const response = await api.call('GET', `/CompanyWebhooks/1/Callouts/${calloutId}`, { as: tenant.integrator });
    expect(itemOf(response)).toMatchObject({
      state: 'due',
      nextAttemptDateTime: '2100-01-01T00:00:00.000Z',
      waitsFor: { reason: 'receiver', message: expect.stringContaining('503'), until: '2100-01-01T00:00:00.000Z' },
      pauses: [
        {
          changeDateTime: expect.any(String),
          change: 'paused',
          cause: 'receiverDown',
          message: 'The webhook was paused: The receiver answered 503.',
        },
      ],
    });
  });

  it('waits behind the callout of its record that goes first', async () => {
    await make(subscribed);
    const { calloutId: first } = await insertLoggedCallout(api, tenant.id, { state: 'due', sequenceNumber: 1 });
    await insertLoggedCallout(api, tenant.id, { state: 'waiting', sequenceNumber: 2 });
    await insertLoggedCallout(api, tenant.id, { state: 'waiting', sequenceNumber: 3 });
    const list = await api.call('GET', '/CompanyWebhooks/1/Callouts?state=waiting', { as: tenant.integrator });
    const cause = expect.objectContaining({
      sequenceNumber: 1,
      path: `/Callouts/${first}`,
      reason: 'worker',
    }) as unknown;
    expect(listOf(list).items.map((item) => item['waitsFor'])).toEqual([
      expect.objectContaining({ reason: 'earlierCallout', sequenceNumber: 1, cause }),
      expect.objectContaining({ reason: 'earlierCallout', sequenceNumber: 1, cause }),
    ]);
  });
});

/** An id of a moment, as rows get it that are made then. */
function idAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${Math.random().toString(16).slice(2, 14).padEnd(12, '0')}`;
}
