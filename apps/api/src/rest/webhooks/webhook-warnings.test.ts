import { describe, expect, it } from '@jest/globals';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody, wholeWebhook } from '../../fixtures/webhook-body.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  api.call(method, path, { as: tenant.integrator, body, headers });
const create = (change: object = {}, query = '') =>
  call('POST', `/CompanyWebhooks${query}`, { ...webhookBody(), ...change });
const subscribed = { fields: [{ fieldID: 2, isSubscribedField: true }] };
const count = async () =>
  ((await call('GET', '/CompanyWebhooks/query/count')).body as { queryCount: number }).queryCount;

const inactive = 'The webhook is inactive, so no event makes a callout: set isActive to true.';
const noField = expect.stringContaining('has neither a Field nor a UdfField record') as unknown;
const onlyDisplayed = expect.stringContaining('No field of the webhook is subscribed') as unknown;
const nothing = expect.stringContaining('is subscribed to no event') as unknown;

describe('a new webhook that can never fire', () => {
  it.each([
    ['without a field', {}, [noField]],
    ['with fields that are only displayed', { fields: [{ fieldID: 2, isDisplayAlwaysField: true }] }, [onlyDisplayed]],
    ['subscribed to nothing', { ...subscribed, isSubscribedToUpdateEvents: false }, [nothing]],
    ['inactive', { ...subscribed, isActive: false }, [inactive]],
    ['inactive and without a field', { isActive: false }, [inactive, noField]],
  ])('(%s) is made, and answered with the reason; strict callers are refused', async (_, change, warnings) => {
    const response = await create(change);
    expect([response.status, response.body]).toEqual([200, { itemId: 1, warnings }]);
    const strict = await create(change, '?strict=true');
    expect(strict).toMatchObject({ status: 400, body: { errors: warnings } });
    expect((strict.body as { details: { code: string }[] }).details.map(({ code }) => code)).toEqual(
      warnings.map(() => 'ineffective'),
    );
    expect(await count()).toBe(1);
  });

  it.each([
    ['fields', subscribed],
    ['delete events only', { isSubscribedToUpdateEvents: false, isSubscribedToDeleteEvents: true }],
    [
      'create events and displayed fields',
      {
        isSubscribedToUpdateEvents: false,
        isSubscribedToCreateEvents: true,
        fields: [{ field: 'phone', isDisplayAlwaysField: true }],
      },
    ],
  ])('is not one that has %s', async (_, change) => {
    const response = await create(change, '?strict=true');
    expect([response.status, response.body]).toEqual([200, { itemId: 1 }]);
  });
});

describe('a webhook on WebhookHealth', () => {
  const onHealth = { fields: [{ field: 'occurrence', isSubscribedField: true }], isSubscribedToUpdateEvents: false };
  const never = expect.stringContaining('All events of WebhookHealth are updates') as unknown;

  it('that is not subscribed to updates is answered with the reason, and its readiness says so', async () => {
    const body = { ...webhookBody(), ...onHealth, isSubscribedToCreateEvents: true, isSubscribedToDeleteEvents: true };
    const response = await call('POST', '/WebhookHealthWebhooks', body);
    expect([response.status, response.body]).toEqual([200, { itemId: 1, warnings: [never] }]);
    const readiness = await call('GET', '/WebhookHealthWebhooks/1/Readiness');
    expect(readiness.body).toMatchObject({
      item: { getsCallouts: false, reasons: [{ code: 'subscribedToNothing', message: never, blocks: true }] },
    });
    const change = { id: 1, isSubscribedToDeleteEvents: false };
    expect((await call('PATCH', '/WebhookHealthWebhooks', change)).body).toEqual({ itemId: 1, warnings: [never] });
    const right = await call('PATCH', '/WebhookHealthWebhooks', { id: 1, isSubscribedToUpdateEvents: true });
    expect(right.body).toEqual({ itemId: 1 });
  });
});

describe('keys of a webhook that mean nothing', () => {
  it('are named with the known one, at every level', async () => {
    const fields = [{ fieldID: 2, isSubscribedField: true, isDisplayAlwaysFeld: true }];
    const misspelt = { fields, isSubscribedToCreateEvent: true, colour: 1 };
    const { body } = await create(misspelt);
    expect(body).toEqual({
      itemId: 1,
      ignored: ['fields[0].isDisplayAlwaysFeld', 'isSubscribedToCreateEvent', 'colour'],
      warnings: [
        'fields[0].isDisplayAlwaysFeld is no known key: did you mean isDisplayAlwaysField?',
        'isSubscribedToCreateEvent is no known key: did you mean isSubscribedToCreateEvents?',
        'colour is no known key',
      ],
    });
    await expect(create(misspelt, '?strict=true')).resolves.toMatchObject({
      status: 400,
      body: { details: [{ code: 'unknownKey', field: 'fields[0].isDisplayAlwaysFeld' }, {}, {}] },
    });
    expect(await count()).toBe(1);
  });

  it('include no name that a read shows', async () => {
    await create(subscribed);
    const { body } = await call('GET', '/CompanyWebhooks/1');
    const { item } = body as { item: object };
    for (const method of ['PATCH', 'PUT']) {
      const response = await call(method, '/CompanyWebhooks?strict=true', item);
      expect([response.status, response.body]).toEqual([200, { itemId: 1 }]);
    }
    const { body: child } = await call('GET', '/CompanyWebhooks/1/Fields/1');
    const echoed = await call('PATCH', '/CompanyWebhooks/1/Fields?strict=true', (child as { item: object }).item);
    expect([echoed.status, echoed.body]).toEqual([200, { itemId: 1 }]);
  });

  it('are named of children as well', async () => {
    await create();
    const child = { fieldID: 2, isSubscribedFeld: true };
    const warned = {
      ignored: ['isSubscribedFeld'],
      warnings: [expect.stringContaining('isSubscribedField?') as unknown],
    };
    const refused = { status: 400, body: { details: [{ code: 'unknownKey', field: 'isSubscribedFeld' }] } };
    const path = '/CompanyWebhooks/1/Fields';
    await expect(call('POST', `${path}?strict=true`, child)).resolves.toMatchObject(refused);
    expect((await call('POST', path, child)).body).toEqual({ itemId: 1, ...warned });
    expect((await call('PATCH', path, { id: 1, isSubscribedFeld: true })).body).toEqual({ itemId: 1, ...warned });
    const strict = await call('PATCH', path, { id: 1, isSubscribedFeld: true }, { Prefer: 'handling=strict' });
    expect(strict).toMatchObject(refused);
  });
});

describe('an update', () => {
  it('names the reason why the webhook makes no callouts, and stores nothing for strict callers', async () => {
    await create({ isActive: false });
    const renamed = await call('PATCH', '/CompanyWebhooks', { id: 1, name: 'renamed' });
    expect(renamed.body).toEqual({ itemId: 1, warnings: [inactive, noField] });
    const activated = await call('PATCH', '/CompanyWebhooks', { id: 1, isActive: true });
    expect(activated.body).toEqual({ itemId: 1, warnings: [noField] });
    const strict = await call('PATCH', '/CompanyWebhooks/1?strict=true', { name: 'strict', nmae: 'x' });
    expect(strict).toMatchObject({ status: 400, body: { details: [{ field: 'nmae' }, { code: 'ineffective' }] } });
    await call('POST', '/CompanyWebhooks/1/Fields', { fieldID: 2, isSubscribedField: true });
    expect((await call('PATCH', '/CompanyWebhooks', { id: 1, isReady: false })).body).toEqual({ itemId: 1 });
    const { body } = await call('PUT', '/CompanyWebhooks', wholeWebhook());
    expect(body).toEqual({ itemId: 1, warnings: [nothing] });
    await expect(call('GET', '/CompanyWebhooks/1')).resolves.toMatchObject({ body: { item: { name: 'whole' } } });
  });

  it('that makes a webhook inactive is meant to: it warns of nothing, and strict callers may do it', async () => {
    await create();
    const { body } = await call('PATCH', '/CompanyWebhooks?strict=true', { id: 1, isActive: false });
    expect(body).toEqual({ itemId: 1 });
  });

  it('of an unknown webhook is 404, besides any other errors', async () => {
    await expect(call('PATCH', '/CompanyWebhooks/9?strict=true', { nmae: 'x' })).resolves.toMatchObject({
      status: 404,
    });
  });
});

describe('a secret that can be guessed', () => {
  const weak =
    'secretKey has 1 character, so that signatures can be forged by guessing: use 10 or more, best 32 at random';

  it('is accepted with a warning, wherever it is set, and refused for strict callers', async () => {
    expect((await create({ ...subscribed, secretKey: 'x' })).body).toEqual({ itemId: 1, warnings: [weak] });
    expect((await call('PATCH', '/CompanyWebhooks/1', { secretKey: 'y' })).body).toMatchObject({ warnings: [weak] });
    const rotation = { secretKey: 'z', overlapHours: 0 };
    expect((await call('POST', '/CompanyWebhooks/1/rotateSecret', rotation)).body).toMatchObject({ warnings: [weak] });
    for (const [method, path, body] of [
      ['POST', '/CompanyWebhooks', { ...webhookBody(), ...subscribed, secretKey: 'x' }],
      ['PATCH', '/CompanyWebhooks/1', { secretKey: 'x' }],
      ['POST', '/CompanyWebhooks/1/rotateSecret', rotation],
    ] as const) {
      expect(await call(method, `${path}?strict=true`, body)).toMatchObject({
        status: 400,
        body: { details: [{ code: 'weakSecret', field: 'secretKey' }] },
      });
    }
  });
});
