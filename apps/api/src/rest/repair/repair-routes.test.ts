import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newId } from '@callout/database/schema/ids';
import { cancelOpenCallouts } from '@callout/pipeline/deactivate/cancel';
import { failure } from '../../fixtures/failure.ts';
import { insertLoggedCallout, type LoggedCalloutOptions } from '../../fixtures/logged-callout.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenantWithWebhooks, webhookVersion } from '../../fixtures/tenant-with-webhooks.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { calloutRange } from './repair-schemas.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenantWithWebhooks(api));

const post = (path: string, body?: unknown, as = tenant.integrator) =>
  api.call('POST', `/CompanyWebhooks/${path}`, { as, body });
const insert = async (options: LoggedCalloutOptions) => (await insertLoggedCallout(api, tenant.id, options)).calloutId;
const webhookKey = async (id = 1) =>
  Number((await api.database.prisma.webhook.findFirstOrThrow({ where: { tenantId: tenant.id, id } })).key);
const stateOf = async (id: string) => (await api.database.prisma.callout.findUniqueOrThrow({ where: { id } })).state;

describe('POST …/redeliver', () => {
  it('opens failed callouts, returns their number, and enqueues them', async () => {
    const ids: string[] = [];
    for (const state of ['delivered', 'failed', 'cancelled', 'due'] as const) {
      ids.push(await insert({ state, sequenceNumber: ids.length + 1, recordId: ids.length + 1 }));
    }
    expect(await post('1/redeliver', { fromSequence: 1 })).toMatchObject({ status: 200, body: { queued: 2 } });
    expect(api.enqueuedWebhooks).toContain(await webhookKey());
    expect(await post('1/redeliver', { fromSequence: 1 })).toMatchObject({ body: { queued: 0 } });
    const body = { STATES: ['Delivered'], fromSequence: '1', ToSequence: 1, since: null, unknown: 1 };
    expect(await post('1/redeliver/', body)).toMatchObject({ body: { queued: 1 } });
    expect(await post('2/redeliver', { fromSequence: 1 })).toMatchObject({ body: { queued: 0 } });
    for (const id of ids) expect(await stateOf(id)).toBe('open');
  });

  it('opens callouts by their ids, record or action, and returns the filter', async () => {
    const ids: string[] = [];
    for (const [recordId, action] of [
      [1, 'Create'],
      [2, 'Update'],
      [3, 'Update'],
      [3, 'Delete'],
    ] as const) {
      ids.push(await insert({ state: 'failed', sequenceNumber: ids.length + 1, recordId, action }));
    }
    const [first = '', second = '', , last = ''] = ids;
    const named = { calloutIDs: [first.toUpperCase(), second], actions: ['create'] };
    expect(await post('1/redeliver', named)).toMatchObject({
      body: {
        queued: 1,
        filter: { calloutIDs: [first, second], actions: ['Create'], states: ['failed', 'cancelled'] },
      },
    });
    expect(await post('2/redeliver', { calloutIDs: [second] })).toMatchObject({ body: { queued: 0 } });
    expect(await post('1/redeliver', { recordID: 3, actions: ['Update'] })).toMatchObject({ body: { queued: 1 } });
    expect(await stateOf(last)).toBe('failed');
    expect(await stateOf(second)).toBe('failed');
    for (const calloutIDs of [[], ['x'], first, Array.from({ length: 1_001 }, () => randomUUID())]) {
      expect(await post('1/redeliver', { calloutIDs })).toMatchObject({ status: 400, body: failure('invalid') });
    }
  });

  it.each([
    ['nothing', undefined],
    ['an empty object', {}],
    ['a key that is misspelled', { sicne: '2026-01-15T09:00:00Z' }],
    ['nothing but nulls', { since: null, states: null }],
  ])('refuses %s, which would mean everything, and names the keys', async (_, body) => {
    const [missed, open] = [await insert({ state: 'failed' }), await insert({ state: 'due', sequenceNumber: 2 })];
    for (const verb of ['redeliver', 'cancel']) {
      const response = await post(`1/${verb}`, body);
      expect(response).toMatchObject({ status: 400, body: failure('required') });
      expect(response.body).toMatchObject({ errors: [expect.stringContaining('since, until, states, fromSequence')] });
    }
    expect([await stateOf(missed), await stateOf(open)]).toEqual(['failed', 'open']);
  });

  it.each([
    ['without since', { include: ['inactive'], states: ['failed'] }, 'since'],
    ['with numbers of callouts', { include: ['inactive'], since: '2026-01-15T09:00:00Z', toSequence: 4 }, 'toSequence'],
    ['of something else', { include: ['all'], since: '2026-01-15T09:00:00Z' }, 'include'],
  ])('refuses to include %s', async (_, body, key) => {
    const response = await post('1/redeliver', body);
    expect(response).toMatchObject({ status: 400, body: { errors: [expect.stringContaining(key)] } });
  });

  it('counts, and then makes, callouts for what the webhook missed while it was inactive', async () => {
    const as = tenant.integrator;
    const change = async (body: object) => {
      const path = '/CompanyWebhooks';
      expect(await api.call('PATCH', path, { as, body: { id: 1, ...body } })).toMatchObject({ status: 200 });
    };
    const eventId = newId();
    await api.database.pool.query(
      `WITH event AS (
         INSERT INTO events (id, tenant_id, entity_type, record_id, record_version, action, person_id, event_time,
           changed_fields, changed_udfs, fields, udf_fields)
         VALUES ($1, $2, 'Account', 7, 1, 'Delete', 1, now(), '{}', '{}', '{}', '{}')
       )
       INSERT INTO event_matches (event_id, tenant_id, verdicts) VALUES ($1, $2, $3)`,
      [eventId, tenant.id, { inactive: [[await webhookKey(), 1]] }],
    );
    const body = { since: '2026-01-15T09:00:00Z', include: ['Inactive'] };
    await change({ isActive: false, isSubscribedToDeleteEvents: true });
    expect(await post('1/redeliver', { ...body, dryRun: true })).toMatchObject({ status: 409 });
    await change({ isActive: true });
    expect(await post('1/redeliver', { ...body, dryRun: true })).toMatchObject({
      body: { queued: 1, replayed: 1, dryRun: true, order: { older: 0, message: expect.stringContaining('inactive') } },
    });
    expect(await post('1/redeliver', body)).toMatchObject({ body: { queued: 1, replayed: 1 } });
    expect(await post('1/redeliver', body)).toMatchObject({ body: { queued: 0, replayed: 0 } });
    const { body: log } = await api.call('GET', '/CompanyWebhooks/1/Callouts?kind=event', { as });
    expect(log).toMatchObject({ items: [{ recordID: 7, replayed: true, eventID: eventId }] });
  });

  it('returns its filter, and names a misspelled key beside a right one', async () => {
    const since = '2026-01-15T09:00:00Z';
    const none = { until: null, fromSequence: null, toSequence: null };
    const warned = { ignored: ['untli'], warnings: ['untli is no known key: did you mean until?'] };
    expect((await post('1/redeliver', { since, untli: since })).body).toEqual({
      queued: 0,
      filter: { ...none, since: '2026-01-15T09:00:00.000Z', states: ['failed', 'cancelled'] },
      order: { older: 0, message: 'There is nothing to redeliver.' },
      ...warned,
    });
    expect((await post('1/cancel', { since, untli: since })).body).toMatchObject({ cancelled: 0, ...warned });
    expect((await post('1/cancel', { toSequence: '7' })).body).toEqual({
      cancelled: 0,
      filter: { ...none, since: null, toSequence: 7, states: ['waiting', 'held', 'due'] },
    });
  });

  it('refuses a key that it does not know where the caller is strict, and changes nothing', async () => {
    const [missed, open] = [await insert({ state: 'failed' }), await insert({ state: 'due', sequenceNumber: 2 })];
    for (const verb of ['redeliver', 'cancel']) {
      expect(await post(`1/${verb}?strict=true`, { fromSequence: 1, untli: null })).toMatchObject({
        status: 400,
        body: {
          errors: ['untli is no known key: did you mean until?'],
          details: [{ code: 'unknownKey', field: 'untli' }],
        },
      });
    }
    expect([await stateOf(missed), await stateOf(open)]).toEqual(['failed', 'open']);
  });

  it('says of one callout, too, what that means for the order', async () => {
    const id = await insert({ state: 'failed', sequenceNumber: 1, recordId: 7 });
    await insert({ state: 'delivered', sequenceNumber: 2, recordId: 7 });
    expect((await post(`1/Callouts/${id}/redeliver`)).body).toEqual({
      queued: 1,
      order: { older: 1, message: expect.stringContaining('The callout is older than a callout of the same record') },
    });
    expect((await post(`1/Callouts/${id}/redeliver`)).body).toEqual({
      queued: 0,
      order: { older: 0, message: 'There is nothing to redeliver.' },
    });
  });

  it('shows in the delivery log', async () => {
    const id = await insert({ state: 'failed' });
    expect(await post(`1/Callouts/${id}/redeliver`)).toMatchObject({ status: 200, body: { queued: 1 } });
    expect(await post(`1/Callouts/${id}/redeliver`)).toMatchObject({ status: 200, body: { queued: 0 } });
    const { body } = await api.call('GET', `/CompanyWebhooks/1/Callouts/${id}`, { as: tenant.integrator });
    expect(body).toMatchObject({ item: { state: 'due', isRedelivery: true, attemptsMade: 2, finishedDateTime: null } });
  });

  it.each([
    ['a list', []],
    ['an unknown state', { states: ['lost'] }],
    ['no state', { states: [] }],
    ['a state that is no list', { states: 'failed' }],
    ['a time that is none', { since: 'yesterday' }],
    ['a time that is a number', { until: 5 }],
    ['a negative number', { fromSequence: -1 }],
    ['half a number', { toSequence: 1.5 }],
    ['numbers the wrong way round', { fromSequence: 3, toSequence: 2 }],
    ['times the wrong way round', { since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }],
    ['a key twice', { since: null, Since: null }],
    ['no JSON', '{'],
  ])('refuses %s', async (_, body) => {
    const id = await insert({ state: 'failed' });
    expect(await post('1/redeliver', body)).toMatchObject({ status: 400 });
    expect(await post('1/cancel', body)).toMatchObject({ status: 400 });
    expect(await stateOf(id)).toBe('failed');
  });

  it('accepts times before 1970 and after the last', async () => {
    await insert({ state: 'failed' });
    const body = { since: '0001-01-01T00:00:00Z', until: '9999-12-31T23:59:59Z', toSequence: Number.MAX_SAFE_INTEGER };
    expect(await post('1/redeliver', body)).toMatchObject({ status: 200, body: { queued: 1 } });
  });

  it('is 409 for an inactive webhook, one callout or many, and 404 for none', async () => {
    const id = await insert({ state: 'failed' });
    await api.call('PATCH', '/CompanyWebhooks/1', { as: tenant.integrator, body: { isActive: false } });
    for (const path of ['1/redeliver', `1/Callouts/${id}/redeliver`]) {
      expect(await post(path, { fromSequence: 1 })).toMatchObject({ status: 409, body: failure('conflict') });
    }
    await api.call('DELETE', '/CompanyWebhooks/1', { as: tenant.integrator });
    for (const path of ['1/redeliver', '3/redeliver', 'x/redeliver', '4294967296/cancel', `1/Callouts/${id}/cancel`]) {
      expect(await post(path, { fromSequence: 1 })).toMatchObject({ status: 404 });
    }
    expect(await post(`${2 ** 53}/redeliver`, { fromSequence: 1 })).toMatchObject({ status: 400 });
  });

  it('after activation opens what was cancelled with the deactivation', async () => {
    const id = await insert({ state: 'due' });
    await api.call('PATCH', '/CompanyWebhooks/1', { as: tenant.integrator, body: { isActive: false } });
    expect(await stateOf(id)).toBe('cancelled');
    await api.call('PATCH', '/CompanyWebhooks/1', { as: tenant.integrator, body: { isActive: true } });
    expect(await post('1/redeliver', { states: ['cancelled'] })).toMatchObject({ body: { queued: 1 } });
    const call = await api.database.prisma.callout.findFirstOrThrow({
      where: { tenantId: tenant.id, kind: 'deactivation' },
    });
    for (const path of ['redeliver', 'cancel']) {
      expect(await post(`1/Callouts/${call.id}/${path}`)).toMatchObject({ status: 409 });
    }
  });
});

describe('POST …/retryNow', () => {
  const later = (...ids: string[]) =>
    api.database.pool.query(
      "UPDATE open_callouts SET due_at = now() + interval '1 hour' WHERE callout_id = ANY($1::uuid[])",
      [ids],
    );
  const dueNow = async (id: string) => {
    const { body } = await api.call('GET', `/Callouts/${id}`, { as: tenant.integrator });
    const { nextAttemptDateTime } = (body as { item: { nextAttemptDateTime: string } }).item;
    return Date.parse(nextAttemptDateTime) <= Date.now();
  };

  it('sends everything now, a selection, or one callout, and enqueues the webhook', async () => {
    const ids: string[] = [];
    for (const recordId of [1, 2, 3]) ids.push(await insert({ state: 'due', recordId, sequenceNumber: recordId }));
    const [first = '', second = ''] = ids;
    await later(...ids);
    expect(await post(`1/Callouts/${first}/retryNow`)).toMatchObject({ status: 200, body: { queued: 1 } });
    expect(api.enqueuedWebhooks).toContain(await webhookKey());
    expect(await post(`1/Callouts/${first}/retryNow`)).toMatchObject({ status: 200, body: { queued: 0 } });
    expect(await post('1/retryNow', { calloutIDs: [second] })).toMatchObject({
      body: { queued: 1, filter: { calloutIDs: [second], states: ['due'] } },
    });
    expect([await dueNow(first), await dueNow(second), await dueNow(ids[2] ?? '')]).toEqual([true, true, false]);
    expect(await post('1/retryNow')).toMatchObject({ status: 200, body: { queued: 1 } });
    expect(await post('1/retryNow', {})).toMatchObject({ status: 200, body: { queued: 0 } });
  });

  it('refuses misspelled keys alone, which would mean everything, and an inactive webhook', async () => {
    const id = await insert({ state: 'due' });
    await later(id);
    expect(await post('1/retryNow', { sicne: '2026-01-15T09:00:00Z' })).toMatchObject({
      status: 400,
      body: failure('required'),
    });
    expect(await dueNow(id)).toBe(false);
    await api.call('PATCH', '/CompanyWebhooks/1', { as: tenant.integrator, body: { isActive: false } });
    expect(await post('1/retryNow')).toMatchObject({ status: 409, body: failure('conflict') });
    expect(await post('2147483647/retryNow')).toMatchObject({ status: 404 });
  });
});

describe('POST …/cancel', () => {
  it('cancels open callouts, returns their number, and lets the next be sent', async () => {
    const [first, second] = [await insert({ state: 'due' }), await insert({ state: 'waiting', sequenceNumber: 2 })];
    const done = await insert({ state: 'failed', sequenceNumber: 3 });
    await api.database.prisma.webhook.updateMany({ where: { tenantId: tenant.id, id: 1 }, data: { lastSequence: 3 } });
    expect(await post(`1/Callouts/${first}/cancel`)).toMatchObject({ status: 200, body: { cancelled: 1 } });
    expect(await post(`1/Callouts/${first}/cancel`)).toMatchObject({ status: 200, body: { cancelled: 0 } });
    expect(api.enqueuedWebhooks).toContain(await webhookKey());
    const { state } = await api.database.prisma.openCallout.findUniqueOrThrow({ where: { calloutId: second } });
    expect(state).toBe('due');
    expect(await post('1/cancel', { states: ['waiting'] })).toMatchObject({ body: { cancelled: 0 } });
    expect(await post('1/cancel', { toSequence: 9 })).toMatchObject({ status: 200, body: { cancelled: 1 } });
    expect([await stateOf(first), await stateOf(second), await stateOf(done)]).toEqual([
      'cancelled',
      'cancelled',
      'failed',
    ]);
  });
});

describe('POST …/cancel with names', () => {
  it('cancels those, or those of a record', async () => {
    const ids: string[] = [];
    for (const recordId of [1, 2, 3]) {
      ids.push(await insert({ state: 'due', sequenceNumber: recordId, recordId }));
    }
    await api.database.prisma.webhook.updateMany({ where: { tenantId: tenant.id, id: 1 }, data: { lastSequence: 3 } });
    expect(await post('1/cancel', { calloutIDs: ids.slice(0, 1) })).toMatchObject({ body: { cancelled: 1 } });
    expect(await post('1/cancel', { recordID: 3 })).toMatchObject({ body: { cancelled: 1, filter: { recordID: 3 } } });
    const ofTests = await post('1/cancel', { recordID: 0 });
    expect(ofTests).toMatchObject({ body: { cancelled: 0, filter: { recordID: 0 } } });
    expect(calloutRange.parse((ofTests.body as { filter: unknown }).filter)).toMatchObject({ recordID: 0 });
    expect(await Promise.all(ids.map(stateOf))).toEqual(['cancelled', 'open', 'cancelled']);
  });
});

describe('a cancelled callout says why it was cancelled:', () => {
  const becauseOf = async (id: string) => {
    const { body } = await api.call('GET', `/Callouts/${id}`, { as: tenant.integrator });
    return (body as { item: { cancelledBecause: unknown } }).item.cancelledBecause;
  };
  const setActive = (isActive: boolean) =>
    api.call('PATCH', '/CompanyWebhooks/1', { as: tenant.integrator, body: { isActive } });

  it('on request', async () => {
    const [id, other] = [
      await insert({ state: 'due' }),
      await insert({ state: 'due', recordId: 2, sequenceNumber: 2 }),
    ];
    await post(`1/Callouts/${id}/cancel`);
    await setActive(false);
    expect(await becauseOf(id)).toEqual({ reason: 'request', message: expect.stringMatching(/on request/u) });
    expect(await becauseOf(other)).toEqual({ reason: 'deactivated', message: 'Its webhook was set inactive.' });
    await setActive(true);
    await post('1/redeliver', { states: ['cancelled'] });
    expect(await becauseOf(other)).toBeNull();
    await post(`1/Callouts/${other}/cancel`);
    expect(await becauseOf(other)).toMatchObject({ reason: 'request' });
  });

  it('its webhook was deleted', async () => {
    const id = await insert({ state: 'due' });
    await api.call('DELETE', '/CompanyWebhooks/1', { as: tenant.integrator });
    expect(await becauseOf(id)).toEqual({ reason: 'deleted', message: 'Its webhook was deleted.' });
  });

  it('its owner was deactivated', async () => {
    const id = await insert({ state: 'due' });
    const { ownerResourceId } = await api.database.prisma.webhook.findFirstOrThrow({ where: { tenantId: tenant.id } });
    const body = { id: ownerResourceId, isActive: false };
    const { status } = await api.call('PATCH', '/Resources', { as: tenant.admin, body });
    expect(status).toBe(200);
    // A worker cancels the open callouts of such a webhook.
    const { pool } = api.database;
    while (!(await cancelOpenCallouts(pool, await webhookKey(), () => false))) continue;
    const { items } = (await api.call('GET', '/Callouts?state=cancelled', { as: tenant.admin })).body as {
      items: { id: string }[];
    };
    expect(items.map((one) => one.id)).toEqual([id]);
    const { body: details } = await api.call('GET', `/Callouts/${id}`, { as: tenant.admin });
    expect(details).toMatchObject({
      item: {
        cancelledBecause: { reason: 'deactivated', message: 'Its webhook was deactivated together with its owner.' },
      },
    });
  });
});

describe('callouts of others', () => {
  it.each(['redeliver', 'cancel'])('are 404 to %s: of another webhook, entity or tenant, or none', async (verb) => {
    const id = await insert({ state: 'failed' });
    const stranger = await makeTenant(api.database);
    const paths = [
      `2/Callouts/${id}`,
      `1/Callouts/${randomUUID()}`,
      '1/Callouts/1',
      `1/Callouts/${id}%27`,
      '1/Callouts/%00',
    ];
    for (const path of paths) expect(await post(`${path}/${verb}`)).toMatchObject({ status: 404 });
    expect(await post(`1/Callouts/${id}/${verb}`, undefined, stranger.admin)).toMatchObject({ status: 404 });
    const asContact = await api.call('POST', `/ContactWebhooks/1/Callouts/${id}/${verb}`, { as: tenant.admin });
    expect(asContact).toMatchObject({ status: 404 });
    expect(await post(`1/Callouts/${id}/${verb}`, undefined, tenant.source)).toMatchObject({ status: 403 });
    expect(await stateOf(id)).toBe('failed');
    expect(await api.call('GET', `/CompanyWebhooks/1/${verb}`, { as: tenant.admin })).toMatchObject({ status: 405 });
  });
});

describe('POST …/rotateSecret', () => {
  const row = () => api.database.prisma.webhook.findFirstOrThrow({ where: { tenantId: tenant.id, id: 1 } });

  it('keeps the secret before for the overlap, and shows neither', async () => {
    const version = await webhookVersion(api, tenant);
    const before = await row();
    const response = await post('1/rotateSecret', { secretKey: 'my rotated secret', overlapHours: 24 });
    expect(response).toMatchObject({ status: 200, body: { itemId: 1 } });
    const after = await row();
    expect(after).toMatchObject({ version: version + 1, previousSecretCiphertext: before.secretCiphertext });
    const hours = ((after.previousSecretUntil?.getTime() ?? 0) - Date.now()) / 3_600_000;
    expect(hours).toBeCloseTo(24, 1);
    const { body } = await api.call('GET', '/CompanyWebhooks/1', { as: tenant.integrator });
    expect(body).toMatchObject({ item: { secretKey: '********' } });
    expect(JSON.stringify([response.body, body]) + api.log()).not.toContain('my rotated secret');
  });

  it('is undone by a plain PATCH of the secret, which has no overlap', async () => {
    await post('1/rotateSecret', { secretKey: 'my rotated secret', overlapHours: 24 });
    await api.call('PATCH', '/CompanyWebhooks/1', { as: tenant.integrator, body: { name: 'renamed' } });
    expect((await row()).previousSecretUntil).not.toBeNull();
    await api.call('PATCH', '/CompanyWebhooks/1', { as: tenant.integrator, body: { secretKey: 'patched secret' } });
    expect(await row()).toMatchObject({
      previousSecretKeyId: null,
      previousSecretNonce: null,
      previousSecretCiphertext: null,
      previousSecretUntil: null,
    });
  });

  it('names a key that it does not know, and refuses it where the caller is strict', async () => {
    const warnings = ['overlapHour is no known key: did you mean overlapHours?'];
    const body = { secretKey: 'my rotated secret', overlapHours: 24, overlapHour: 1 };
    const before = await row();
    expect(await post('1/rotateSecret?strict=true', body)).toMatchObject({ status: 400, body: { errors: warnings } });
    expect(await row()).toEqual(before);
    const response = await post('1/rotateSecret', body);
    expect(response).toMatchObject({ status: 200, body: { itemId: 1, ignored: ['overlapHour'], warnings } });
  });

  it('refuses what a creation would, and an overlap that is none', async () => {
    const version = await webhookVersion(api, tenant);
    for (const body of [
      undefined,
      {},
      { secretKey: '********', overlapHours: 1 },
      { secretKey: 'x'.repeat(65), overlapHours: 1 },
      { secretKey: 'a secret', overlapHours: 169 },
    ]) {
      expect(await post('1/rotateSecret', body)).toMatchObject({ status: 400 });
    }
    expect(await post('3/rotateSecret', { secretKey: 's', overlapHours: 1 })).toMatchObject({ status: 404 });
    expect(await webhookVersion(api, tenant)).toBe(version);
  });
});
