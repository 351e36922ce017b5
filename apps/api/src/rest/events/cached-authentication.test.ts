import { describe, expect, it } from '@jest/globals';
import { countAuthenticationFailures } from '@callout/tenancy/authentication-failures';
import { failure } from '../../fixtures/failure.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeCredential, makeTenant, type TestCredential, tenantPerTest } from '../../fixtures/test-tenant.ts';

const api = runTestApi({}, {}, true);
const tenant = tenantPerTest(() => makeTenant(api.database));

let lastId = 0;
const company = () => ({ entityType: 'Account', action: 'Update', id: (lastId += 1), fields: { city: 'Oslo' } });
const send = (as: TestCredential, body: unknown = { events: [company()] }, headers = {}) =>
  api.call('POST', '/EntityEvents', { as, body, headers });
const eventCount = () => api.database.prisma.event.count({ where: { tenantId: tenant.id } });
const { pool, prisma } = { pool: () => api.database.pool, prisma: () => api.database.prisma };

const byName = ({ userName }: TestCredential) => ({ userNameFolded: userName.toLowerCase() });
const ownerOf = ({ resourceId }: TestCredential) => ({ tenantId_id: { tenantId: tenant.id, id: resourceId } });

/** Changes that end the rights of a credential, with the response to its next request. */
const changes: [string, (source: TestCredential) => Promise<unknown>, string][] = [
  [
    'is revoked',
    (source) => prisma().credential.update({ where: byName(source), data: { revokedAt: new Date() } }),
    'unknown or wrong',
  ],
  [
    'has another secret',
    (source) => prisma().credential.update({ where: byName(source), data: { secretHash: Buffer.alloc(32) } }),
    'unknown or wrong',
  ],
  [
    'has another code',
    (source) => prisma().credential.update({ where: byName(source), data: { apiIntegrationCode: 'another' } }),
    'unknown or wrong',
  ],
  [
    'belongs to a resource that is deactivated',
    (source) => prisma().resource.update({ where: ownerOf(source), data: { isActive: false } }),
    'not active',
  ],
  [
    'belongs to a resource that is deleted',
    (source) => prisma().resource.update({ where: ownerOf(source), data: { deletedAt: new Date() } }),
    'not active',
  ],
  ['is gone', (source) => prisma().credential.delete({ where: byName(source) }), 'unknown or wrong'],
];

describe('a source that was let in a moment ago', () => {
  it.each(changes)('and %s is refused at once, for any events', async (_what, change, words) => {
    const kept = { 'Idempotency-Key': 'k-1' };
    const first = await send(tenant.source, { events: [company()] }, kept);
    expect(first.status).toBe(202);
    await change(tenant.source);
    const refused = await send(tenant.source);
    expect(refused).toMatchObject({ status: 401, body: { details: [{ code: 'unauthorized' }] } });
    await expect(send(tenant.source, { events: [] })).resolves.toMatchObject({ status: 401, body: refused.body });
    await expect(send(tenant.source, 'no JSON')).resolves.toMatchObject({ status: 401, body: refused.body });
    await expect(send(tenant.source, { events: [company()] }, kept)).resolves.toMatchObject({ status: 401 });
    expect(JSON.stringify(refused.body)).toContain(words);
    expect(await eventCount()).toBe(1);
  });

  it('and has become an integrator may send nothing more', async () => {
    await send(tenant.source);
    await prisma().credential.update({ where: byName(tenant.source), data: { role: 'integrator' } });
    await expect(send(tenant.source)).resolves.toMatchObject({ status: 403, body: failure('forbidden') });
  });

  it('is locked out like everyone else, also with the right secret', async () => {
    await send(tenant.source);
    const failures = Array.from({ length: 10 }, () => ({
      foldedUserName: tenant.source.userName.toLowerCase(),
      address: '127.0.0.1',
    }));
    await countAuthenticationFailures(pool(), failures);
    await expect(send(tenant.source)).resolves.toMatchObject({
      status: 401,
      body: { details: [{ code: 'lockedOut' }] },
    });
    expect(await eventCount()).toBe(1);
  });

  it('goes on sending after a change that ends none of its rights', async () => {
    await send(tenant.source);
    await prisma().tenant.update({ where: { id: tenant.id }, data: { apiRequestsPerHour: 5 } });
    await expect(send(tenant.source)).resolves.toMatchObject({ status: 202 });
    expect(await eventCount()).toBe(2);
  });

  it('alone is refused when others share its commit', async () => {
    const revoked = await makeCredential(api.database, tenant.id, 2, 'source');
    await Promise.all([send(tenant.source), send(revoked)]);
    await prisma().credential.update({ where: byName(revoked), data: { revokedAt: new Date() } });
    const sent = Array.from({ length: 30 }, (_, nth) => send(nth % 3 === 0 ? revoked : tenant.source));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses).toEqual(statuses.map((_, nth) => (nth % 3 === 0 ? 401 : 202)));
    expect(await eventCount()).toBe(22);
  });

  it('needs no statement of its own to be let in again', async () => {
    await send(tenant.source);
    const asked: string[] = [];
    const original = pool().query.bind(pool());
    const noting: unknown = (config: { name: string }, ...more: never[]) => {
      asked.push(config.name);
      return (original as (...all: unknown[]) => unknown)(config, ...more);
    };
    Object.assign(pool(), { query: noting });
    const responses = [await send(tenant.source), await send(tenant.source)];
    Object.assign(pool(), { query: original });
    expect(responses.map(({ status }) => status)).toEqual([202, 202]);
    expect(asked).toEqual([]);
  });
});
