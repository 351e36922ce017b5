import { describe, expect, it } from '@jest/globals';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { storedEvents } from './stored-events.fixture.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { resourceBody } from '../../fixtures/whole-tenant.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

const company = { companyName: 'Northwind', companyType: 1, ownerResourceID: 1, phone: '555-0100' };
const call = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  api.call(method, path, { as: tenant.admin, body, headers });
const event = (change: object) => ({ entityType: 'Account', action: 'Update', id: 7, eventID: 'a', ...change });
const post = (events: object[], query = '', headers: Record<string, string> = {}) =>
  call('POST', `/EntityEvents${query}`, { events }, headers);
const count = async () =>
  ((await call('GET', '/Companies/query/count', undefined)).body as { queryCount: number }).queryCount;

const ignored = ['companyNam', 'colour'];
const warnings = ['companyNam is no field of Account: did you mean companyName?', 'colour is no field of Account'];

describe('names that are no field of a record', () => {
  it('are ignored and named, each with the field that is most like it', async () => {
    const wrong = { companyNam: 'Southwind', colour: 'red' };
    for (const [method, path, body] of [
      ['POST', '/Companies', { ...company, ...wrong }],
      ['PATCH', '/Companies', { id: 1, ...wrong }],
      ['PUT', '/Companies/1', { ...company, ...wrong }],
    ] as const) {
      const response = await call(method, path, body);
      expect(response).toMatchObject({ status: 200 });
      expect(response.body).toEqual({ itemId: 1, ignored, warnings });
    }
    const { body } = await call('GET', '/Companies/1', undefined);
    expect(body).toMatchObject({ item: { companyName: 'Northwind' } });
  });

  it('are 400 when the caller is strict, and nothing is kept', async () => {
    const body = { ...company, companyNam: 'Southwind', colour: 'red' };
    const refused = {
      status: 400,
      body: {
        errors: warnings,
        details: ignored.map((field) => ({ code: 'unknownField', field })),
      },
    };
    for (const query of ['?strict=true', '?STRICT=True', '?strict=1']) {
      await expect(call('POST', `/Companies${query}`, body)).resolves.toMatchObject(refused);
    }
    for (const Prefer of [
      'handling=strict',
      'respond-async, Handling="strict"; wait=10',
      'return=minimal,handling=strict',
    ]) {
      await expect(call('POST', '/Companies', body, { Prefer })).resolves.toMatchObject(refused);
    }
    expect(await count()).toBe(0);
    for (const [query, Prefer] of [
      ['?strict=false', 'handling=strict'],
      ['', 'handling=lenient'],
      ['', 'x-handling=strict'],
    ]) {
      const response = await call('POST', `/Companies${query ?? ''}`, body, { Prefer: Prefer ?? '' });
      expect(response).toMatchObject({ status: 200, body: { ignored } });
    }
    await expect(call('POST', '/Companies?strict=perhaps', body)).resolves.toMatchObject({
      status: 400,
      body: { details: [{ code: 'invalid', field: 'strict' }] },
    });
    await expect(call('PATCH', '/Companies?strict=true', { id: 99, colour: 1 })).resolves.toMatchObject({
      status: 404,
    });
  });

  it('include no name that a read shows, in any case, and no name that a write leaves as it is', async () => {
    await call('POST', '/Companies', company);
    const { body } = await call('GET', '/Companies/1', undefined);
    const { item } = body as { item: Record<string, unknown> };
    for (const method of ['PATCH', 'PUT']) {
      const response = await call(method, '/Companies?strict=true', item);
      expect([response.status, response.body]).toEqual([200, { itemId: 1 }]);
    }
    const shouted = { ID: 1, COMPANYNAME: 'Loud', USERDEFINEDFIELDS: [] };
    await expect(call('PATCH', '/Companies?strict=true', shouted)).resolves.toMatchObject({ status: 200 });
  });

  it('are reported for resources and for definitions of user-defined fields, too', async () => {
    const resource = { ...resourceBody, mail: 'x', middelName: 'y' };
    await expect(call('POST', '/Resources', resource)).resolves.toMatchObject({
      body: {
        ignored: ['mail', 'middelName'],
        warnings: [{}, {}].map(() => expect.stringContaining('did you mean') as unknown),
      },
    });
    await expect(call('PATCH', '/Resources?strict=true', { id: 4, emial: 'x' })).resolves.toMatchObject({
      status: 400,
    });
    const definition = { entityType: 'Account', name: 'Tier', dataType: 'string', lable: 'Level' };
    await expect(call('POST', '/UserDefinedFieldDefinitions', definition)).resolves.toMatchObject({
      body: { ignored: ['lable'], warnings: ['lable is no known key: did you mean label?'] },
    });
    await expect(call('PATCH', '/UserDefinedFieldDefinitions/1?strict=true', { lable: 'x' })).resolves.toMatchObject({
      status: 400,
      body: { details: [{ code: 'unknownKey', field: 'lable' }] },
    });
  });

  it('are reported up to a hundred, and cut, for any body', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${'x'.repeat(200)}${n}`, 1]));
    const { body } = await call('POST', '/Companies', { ...company, ...many });
    const { ignored } = body as { ignored: string[] };
    expect(ignored).toHaveLength(100);
    expect(new Set(ignored.map(({ length }) => length))).toEqual(new Set([100]));
  });
});

describe('names that mean nothing in an event', () => {
  it('are in its result: those among its fields, and its own keys', async () => {
    const { status, body } = await post([
      event({ fields: { companyNam: 'x', phone: '1' } }),
      event({ eventID: 'b', id: 8, feilds: { phone: '2' } }),
      event({ eventID: 'c', id: 9, fields: { phone: '3' } }),
    ]);
    expect(status).toBe(202);
    expect(body).toEqual({
      items: [
        {
          eventID: 'a',
          status: 'accepted',
          ignored: ['companyNam'],
          warnings: ['fields.companyNam is no field of Account: did you mean companyName?'],
        },
        {
          eventID: 'b',
          status: 'unchanged',
          ignored: ['feilds'],
          warnings: ['feilds is no known key: did you mean fields?'],
        },
        { eventID: 'c', status: 'accepted' },
      ],
    });
  });

  it('are beside the items when they are keys of the body itself', async () => {
    const body = { events: [event({ fields: { phone: '1' } })], evnets: [] };
    await expect(call('POST', '/EntityEvents', body)).resolves.toMatchObject({
      status: 202,
      body: { items: [{ status: 'accepted' }], ignored: ['evnets'], warnings: [expect.stringContaining('events?')] },
    });
    await expect(call('POST', '/EntityEvents?strict=true', body)).resolves.toMatchObject({
      status: 400,
      body: { details: [{ code: 'unknownKey', field: 'evnets' }] },
    });
  });

  it('fail the whole batch when the caller is strict, each with its index', async () => {
    const events = [
      event({ fields: { phone: '1' } }),
      event({ eventID: 'b', id: 8, fields: { companyNam: 'x' }, acton: 1 }),
    ];
    const response = await post(events, '', { Prefer: 'handling=strict' });
    expect(response).toMatchObject({
      status: 400,
      body: {
        details: [
          { code: 'unknownKey', field: 'events[1].acton' },
          { code: 'unknownField', field: 'events[1].fields.companyNam' },
        ],
      },
    });
    expect(await storedEvents(api, tenant.id)).toEqual([]);
    await expect(post(events.slice(0, 1), '?strict=true')).resolves.toMatchObject({ status: 202 });
  });

  it('are reported again when the event or the request is repeated', async () => {
    const events = [event({ fields: { companyNam: 'x', phone: '1' } })];
    const first = await post(events, '', { 'Idempotency-Key': 'k' });
    const again = await post(events, '', { 'Idempotency-Key': 'k' });
    expect([again.headers.get('idempotent-replayed'), again.body]).toEqual(['true', first.body]);
    await expect(post(events)).resolves.toMatchObject({
      body: { items: [{ status: 'duplicate', ignored: ['companyNam'] }] },
    });
  });

  it('are reported a thousand times at most', async () => {
    const fields = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`name${n}`, 1]));
    const events = Array.from({ length: 5 }, (_, n) => event({ eventID: `e${n}`, id: 10 + n, fields }));
    const { body } = await post(events);
    const { items } = body as { items: { ignored?: string[] }[] };
    expect(items.map(({ ignored }) => ignored?.length ?? 0)).toEqual([300, 300, 300, 100, 0]);
  });
});
