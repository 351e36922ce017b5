import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '@callout/testing';
import { startTestApi, type TestApi } from '../fixtures/test-api.ts';
import { makeTenant, type TestTenant } from '../fixtures/test-tenant.ts';
import { webhookBody } from '../fixtures/webhook-body.ts';

/** Of a batch of events. */
const largest = 1_048_576;

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  api = await startTestApi(testDatabase.url, { MAX_BODY_BYTES: String(largest / 16) });
  tenant = await makeTenant(api.database);
  await api.call('POST', '/CompanyWebhooks', { as: tenant.admin, body: webhookBody() });
});
afterAll(async () => {
  await api.stop();
  await testDatabase.drop();
});

/** Well below the largest accepted body, so that its content is refused, not its size. */
const mostBytes = 60_000;
const arrays = '['.repeat(mostBytes / 2) + ']'.repeat(mostBytes / 2);
const objects = `${'{"a":'.repeat(mostBytes / 8)}1${'}'.repeat(mostBytes / 8)}`;
const groups = (() => {
  const [open, close] = ['{"op":"and","items":[', ']}'];
  const depth = Math.floor(mostBytes / (open.length + close.length));
  return `${open.repeat(depth)}${close.repeat(depth)}`;
})();
const wide = `{${Array.from({ length: 4_000 }, (_, nth) => `"key${nth}":1`).join(',')}}`;
const twins = `{${Array.from({ length: 2_000 }, (_, nth) => `"k${nth}":1,"K${nth}":1`).join(',')}}`;
const long = `[${'1,'.repeat(mostBytes / 2 - 2)}1]`;
const huge = `"${'x'.repeat(mostBytes - 100)}"`;
const digits = '9'.repeat(mostBytes - 100);

const hostile: [what: string, json: string][] = [
  ['arrays within arrays', arrays],
  ['objects within objects', objects],
  ['groups within groups', groups],
  ['four thousand keys', wide],
  ['two thousand keys that are there twice', twins],
  ['thirty thousand items', long],
  ['a text of 60 kilobytes', huge],
  ['a number of 60 thousand digits', digits],
  ['a number that is infinite', '1e999999'],
  ['a prototype', '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}'],
];

const refusals = new Set([400, 413]);
/** Names of unknown fields are ignored with all that is in them, and a text of any length may be looked for. */
const mayPass = 'may pass';

/** The places of a body for any value: the whole body, or one of its keys. */
const places: [method: string, path: string, bodyWith: (json: string) => string, mayPass?: 'may pass'][] = [
  ['POST', '/Companies', (json) => json],
  ['POST', '/Companies', (json) => `{"companyName":${json}}`],
  ['POST', '/Companies', (json) => `{"companyName":"a","userDefinedFields":${json}}`],
  ['POST', '/Companies', (json) => `{"companyName":"a","userDefinedFields":[{"name":"a","value":${json}}]}`],
  ['PATCH', '/Companies', (json) => `{"id":${json}}`],
  ['POST', '/EntityEvents', (json) => json],
  ['POST', '/EntityEvents', (json) => `{"events":${json}}`],
  ['POST', '/EntityEvents', (json) => `{"events":[${json}]}`],
  [
    'POST',
    '/EntityEvents',
    (json) => `{"events":[{"entityType":"Account","action":"Update","id":1,"fields":${json}}]}`,
    mayPass,
  ],
  [
    'POST',
    '/EntityEvents',
    (json) => `{"events":[{"entityType":"Account","action":"Update","id":1,"fields":{"companyName":${json}}}]}`,
  ],
  [
    'POST',
    '/EntityEvents',
    (json) => `{"events":[{"entityType":"Account","action":"Update","id":1,"fields":{},"changedFields":${json}}]}`,
  ],
  ['POST', '/CompanyWebhooks', (json) => json],
  ['POST', '/CompanyWebhooks', (json) => `{"name":${json}}`],
  ['POST', '/CompanyWebhooks', (json) => `{"name":"a","fields":${json}}`],
  ['PATCH', '/CompanyWebhooks', (json) => `{"id":1,"isActive":${json}}`],
  ['POST', '/CompanyWebhooks/query', (json) => `{"filter":${json}}`],
  ['POST', '/CompanyWebhooks/query', (json) => `{"filter":[${json}]}`],
  ['POST', '/CompanyWebhooks/query', (json) => `{"filter":[{"op":"eq","field":"name","value":${json}}]}`, mayPass],
  ['POST', '/CompanyWebhooks/query', (json) => `{"filter":[{"op":"in","field":"id","value":${json}}]}`],
  ['POST', '/Companies/query', (json) => `{"MaxRecords":${json},"IncludeFields":${json}}`.slice(0, mostBytes)],
  ['POST', '/UserDefinedFieldDefinitions', (json) => `{"listValues":${json}}`],
  ['POST', '/Resources', (json) => json],
];

describe.each(hostile)('%s', (_what, json) => {
  it('is refused in every place of every kind of body, and the API goes on', async () => {
    for (const [method, path, bodyWith, exemption] of places) {
      const body = bodyWith(json);
      const response = await api.call(method, path, { as: tenant.admin, body });
      const where = `${method} ${path} ${bodyWith('…')}`;
      if (exemption !== undefined && response.status < 300) continue;
      expect([where, refusals.has(response.status) ? 'refused' : response.status]).toEqual([where, 'refused']);
      expect(response.body).toMatchObject({ errors: expect.any(Array), details: expect.any(Array) });
      // The response does not repeat the request.
      expect(JSON.stringify(response.body).length).toBeLessThan(100_000);
    }
    expect(Object.prototype).not.toHaveProperty('isAdmin');
    expect(api.log()).not.toContain('"level":"error"');
    await expect(api.call('GET', '/ThresholdInformation', { as: tenant.admin })).resolves.toMatchObject({
      status: 200,
    });
  });
});

describe('unknown names', () => {
  it('are ignored with all that is in them, also where a request is compared with its repeat', async () => {
    const deep = `${'{"a":['.repeat(30)}1${']}'.repeat(30)}`;
    const event = `{"eventID":"deep","entityType":"Account","action":"Update","id":1,"fields":{"unheardOf":${deep}}}`;
    for (const headers of [{ 'Idempotency-Key': 'deep' }, { 'Idempotency-Key': 'deep' }, {}] as Record<
      string,
      string
    >[]) {
      const response = await api.call('POST', '/EntityEvents', {
        as: tenant.source,
        body: `{"unheardOf":${deep},"events":[${event}]}`,
        headers,
      });
      expect(response.status).toBe(202);
    }
    await expect(api.database.prisma.event.count({ where: { eventKey: 'deep' } })).resolves.toBeLessThanOrEqual(1);
  });
});

describe('the largest body', () => {
  it.each([
    ['opening brackets', '[', 'The body must be nested 64 levels deep at most.'],
    ['objects', '{},', 'An object or list of the body must have 2000 names or items at most.'],
  ])('made of %s is not parsed to find that out', async (_what, piece, message) => {
    // A parser would refuse it too, since nothing is closed.
    const body = `[${piece.repeat(Math.floor(largest / piece.length) - 1)}`;
    const response = await api.call('POST', '/EntityEvents', { as: tenant.source, body });
    expect(response).toMatchObject({ status: 400, body: { errors: [message] } });
  });
});
