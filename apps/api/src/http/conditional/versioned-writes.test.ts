import { byService } from '@callout/domain/changes/actor';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import { deactivateWebhooks } from '@callout/pipeline/deactivate/deactivation';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { resourceBody } from '../../fixtures/whole-tenant.ts';
import { webhookBody, wholeWebhook } from '../../fixtures/webhook-body.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));
const one = '/CompanyWebhooks/1';

beforeEach(async () => {
  await api.call('POST', '/CompanyWebhooks', { as: tenant.integrator, body: webhookBody() });
});

const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  api.call(method, path, { as: tenant.admin, headers, ...(body !== undefined && { body }) });
const tagOf = async (path: string) => (await call('GET', path)).headers.get('etag') ?? 'none';
const ifMatch = (tag: string) => ({ 'If-Match': tag });
const other = '"no-such-version"';

/** Each kind of thing that has versions: how one is made, and what changes it. */
const kinds: readonly [what: string, collection: string, create: object, change: object][] = [
  ['a webhook', '/CompanyWebhooks', webhookBody({ name: 'another' }), { name: 'changed' }],
  ['a child', `${one}/Fields`, { field: 'phone', isSubscribedField: true }, { isDisplayAlwaysField: true }],
  [
    'a definition',
    '/UserDefinedFieldDefinitions',
    { entityType: 'Account', name: 'Tier', dataType: 'string' },
    { label: 'T' },
  ],
  ['a resource', '/Resources', resourceBody, { lastName: 'C' }],
];

describe.each(kinds)('the version of %s', (_what, collection, created, change) => {
  it('is the strong ETag of its reads and writes, and changes with it', async () => {
    const { body, headers } = await call('POST', collection, created);
    const path = `${collection}/${(body as { itemId: number }).itemId}`;
    const first = headers.get('etag');
    expect(first).toMatch(/^"[\w-]{22}"$/u);
    const read = await call('GET', path);
    expect([read.headers.get('etag'), read.headers.get('cache-control')]).toEqual([first, 'no-store']);
    const changed = await call('PATCH', path, change);
    expect(changed.headers.get('etag')).not.toBe(first);
    expect(changed.headers.get('etag')).toBe(await tagOf(path));
    const again = await call('PATCH', path, change);
    expect(again.headers.get('etag')).toBe(changed.headers.get('etag'));
  });

  it('is compared with If-Match: a write of another one is 412 with the present one, and changes nothing', async () => {
    const made = await call('POST', collection, created);
    const path = `${collection}/${(made.body as { itemId: number }).itemId}`;
    const read = await call('GET', path);
    const present = read.headers.get('etag') ?? '';
    for (const method of ['PATCH', 'DELETE']) {
      for (const tags of [other, `W/${present}`, `"a", "b"`]) {
        const refused = await call(method, path, method === 'PATCH' ? change : undefined, ifMatch(tags));
        expect(refused).toMatchObject({
          status: 412,
          body: {
            errors: [expect.stringContaining(`The present version is ${present}`)],
            details: [{ code: 'preconditionFailed' }],
          },
        });
        expect(refused.headers.get('etag')).toBe(present);
      }
    }
    expect((await call('GET', path)).body).toEqual(read.body);
    const changed = await call('PATCH', path, change, ifMatch(`${other}, ${present}`));
    expect(changed.status).toBe(200);
    expect((await call('PATCH', path, change, ifMatch(present))).status).toBe(412);
    expect((await call('PATCH', path, change, ifMatch('*'))).status).toBe(200);
    expect((await call('DELETE', path, undefined, ifMatch(changed.headers.get('etag') ?? ''))).status).toBe(200);
    expect((await call('PATCH', path, change, ifMatch('*'))).status).toBe(404);
  });

  it('is compared with If-None-Match: 304 for a read, 412 for a write', async () => {
    const made = await call('POST', collection, created, { 'If-None-Match': '*' });
    expect(made.status).toBe(200);
    const path = `${collection}/${(made.body as { itemId: number }).itemId}`;
    const present = await tagOf(path);
    for (const tags of [present, `W/${present}`, `${other}, ${present}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const unchanged = await call(method, path, undefined, { 'If-None-Match': tags });
        expect([unchanged.status, unchanged.body]).toEqual([304, undefined]);
        expect(unchanged.headers.get('etag')).toBe(present);
        expect(unchanged.headers.get('cache-control')).toBe('no-store');
      }
      expect(await call('PATCH', path, change, { 'If-None-Match': tags })).toMatchObject({
        status: 412,
        body: { errors: [expect.stringContaining(present)] },
      });
    }
    expect((await call('PATCH', path, change, { 'If-None-Match': other })).status).toBe(200);
    expect((await call('GET', path, undefined, { 'If-None-Match': present })).status).toBe(200);
    expect((await call('GET', path, undefined, ifMatch(present))).status).toBe(412);
  });
});

describe('the version of a webhook', () => {
  it.each<[change: string, made: () => Promise<unknown>]>([
    ['a new secret', () => call('PATCH', one, { secretKey: 'a secret that is new' })],
    [
      'the rotation of its secret',
      () => call('POST', `${one}/rotateSecret`, { secretKey: 'a secret that is new', overlapHours: 1 }),
    ],
    ['a new child', () => call('POST', `${one}/Fields`, { field: 'phone' })],
    [
      'its deactivation by the service',
      async () => {
        const { transaction, prisma } = api.database;
        const { key } = await prisma.webhook.findFirstOrThrow({ where: { tenantId: tenant.id } });
        await transaction(tenant.id, ({ sets }) =>
          deactivateWebhooks(sets, { webhookKeys: [Number(key)], cause: 'gone', actor: byService }),
        );
      },
    ],
    [
      'the deactivation of its owner',
      () => call('PATCH', `/Resources/${tenant.integrator.resourceId}`, { isActive: false }),
    ],
  ])('changes with %s', async (_change, make) => {
    const before = await tagOf(one);
    await make();
    expect(await tagOf(one)).not.toBe(before);
    expect((await call('PATCH', one, { name: 'late' }, ifMatch(before))).status).toBe(412);
  });

  it('never comes back, also when every value does', async () => {
    const { name, ...rest } = wholeWebhook();
    const before = await tagOf(one);
    await call('PUT', one, { ...rest, name: 'for a while' });
    await call('PUT', one, { ...rest, name });
    expect(await tagOf(one)).not.toBe(before);
  });

  it('is another one after a backup was restored and it was changed in another way as often', async () => {
    await call('PATCH', one, { name: 'lost' });
    const lost = await tagOf(one);
    const { prisma } = api.database;
    await prisma.webhook.updateMany({ where: { tenantId: tenant.id }, data: { version: 1, updatedAt: new Date(0) } });
    await call('PATCH', one, { name: 'lost' });
    expect(await tagOf(one)).not.toBe(lost);
  });
});

describe('the rotation of a secret', () => {
  const rotate = (secretKey: string, headers: Record<string, string> = {}) =>
    call('POST', `${one}/rotateSecret`, { secretKey, overlapHours: 1 }, headers);

  it('compares the version of its webhook, and returns the one that it makes', async () => {
    const before = await tagOf(one);
    const refused = await rotate('the first new secret', ifMatch(other));
    expect([refused.status, refused.headers.get('etag')]).toEqual([412, before]);
    expect(await rotate('the first new secret', { 'If-None-Match': '*' })).toMatchObject({ status: 412 });
    expect(await tagOf(one)).toBe(before);
    const made = await rotate('the first new secret', ifMatch(before));
    expect([made.status, made.headers.get('etag')]).toEqual([200, await tagOf(one)]);
    expect((await rotate('the second new secret', ifMatch(before))).status).toBe(412);
    const again = await rotate('the first new secret');
    expect(again.headers.get('etag')).toBe(await tagOf(one));
  });
});

describe('two writes of one version', () => {
  const put = (name: string, headers: Record<string, string>) =>
    call('PUT', '/CompanyWebhooks', wholeWebhook({ name }), headers);

  /** Sends both while the row is locked, so that both wait for it. */
  async function atOnce(headers: Record<string, string>) {
    const { pool, prisma } = api.database;
    const { key } = await prisma.webhook.findFirstOrThrow({ where: { tenantId: tenant.id } });
    const holder = await pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM webhooks WHERE key = $1 FOR NO KEY UPDATE', [key]);
      const writes = [put('first', headers), put('second', headers)];
      await eventually(async () => {
        const { rows } = await pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        expect(rows).toHaveLength(2);
      });
      await holder.query('COMMIT');
      return await Promise.all(writes);
    } finally {
      holder.release();
    }
  }

  it('are one change and one refusal with If-Match', async () => {
    const answers = await atOnce(ifMatch(await tagOf(one)));
    const [made, refused] = answers.toSorted((a, b) => a.status - b.status);
    expect([made?.status, refused?.status]).toEqual([200, 412]);
    expect(refused?.headers.get('etag')).toBe(made?.headers.get('etag'));
    expect(await tagOf(one)).toBe(made?.headers.get('etag'));
  });

  it('are both made without preconditions, as ever', async () => {
    const answers = await atOnce({});
    const done = { status: 200, body: { itemId: 1 } };
    expect(answers).toMatchObject([done, done]);
  });
});

describe('preconditions that are none', () => {
  it.each(['abc', '"abc', '', '*, "a"', 'W/abc', '"a" "b"', `"${'x'.repeat(8_000)}`])(
    'are 400 in a write, with the header and its form: %j',
    async (value) => {
      for (const name of ['If-Match', 'If-None-Match']) {
        expect(await call('PATCH', one, { name: 'x' }, { [name]: value })).toMatchObject({
          status: 400,
          body: { details: [{ code: 'invalid', field: name, message: expect.stringContaining('in double quotes') }] },
        });
      }
      expect((await call('GET', one, undefined, { 'If-None-Match': value })).status).toBe(200);
    },
  );

  it('may be many and long, and dates are not compared', async () => {
    const present = await tagOf(one);
    const many = Array.from({ length: 1_000 }, (_, nth) => `"${nth}"`).join(',');
    expect((await call('PATCH', one, { name: 'x' }, ifMatch(`"${'x'.repeat(8_000)}"`))).status).toBe(412);
    expect((await call('PATCH', one, { name: 'x' }, ifMatch(many))).status).toBe(412);
    expect((await call('PATCH', one, { name: 'x' }, ifMatch(`${many},${present}`))).status).toBe(200);
    const dates = { 'If-Unmodified-Since': new Date(0).toUTCString(), 'If-Modified-Since': new Date().toUTCString() };
    expect((await call('PATCH', one, { name: 'y' }, dates)).status).toBe(200);
    expect((await call('GET', one, undefined, dates)).status).toBe(200);
  });
});

describe('a webhook of another tenant', () => {
  it('is 404 whatever the preconditions are', async () => {
    const stranger = await makeTenant(api.database);
    for (const headers of [ifMatch('*'), ifMatch(other), { 'If-None-Match': '*' }]) {
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const body = method === 'PATCH' ? { body: { name: 'x' } } : {};
        expect(await api.call(method, one, { as: stranger.admin, headers, ...body })).toMatchObject({ status: 404 });
      }
    }
  });
});
