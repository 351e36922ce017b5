import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { failure } from '../../fixtures/failure.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, type TestTenant } from '../../fixtures/test-tenant.ts';

const api = runTestApi();
let tenant: TestTenant;

beforeAll(async () => {
  await api.database.prisma.zone.create({ data: { name: 'eu2', url: 'https://eu2.example', webUrl: '' } });
});
beforeEach(async () => {
  tenant = await makeTenant(api.database);
});

const become = (state: string) => api.database.prisma.tenant.update({ where: { id: tenant.id }, data: { state } });
const event = { entityType: 'Account', action: 'Update', id: 1, fields: { companyName: 'Ant' } };
const sendEvent = () =>
  api.call('POST', '/EntityEvents', { as: tenant.source, body: { events: [{ ...event, eventID: 'one' }] } });
const moving = {
  status: 503,
  body: failure('unavailable', 'The tenant is being moved to another zone: send this again.'),
};

describe('a tenant that is on its way to another zone', () => {
  it('may be read and not be changed', async () => {
    // Remembered, so that the next ones are confirmed by their commit.
    expect((await sendEvent()).status).toBe(202);
    await become('moving');
    const refused = [
      await sendEvent(),
      await api.call('POST', '/Companies', { as: tenant.source, body: {} }),
      await api.call('PATCH', '/CompanyWebhooks', { as: tenant.admin, body: { id: 1 } }),
      await api.call('POST', '/CompanyWebhooks/1/redeliver', { as: tenant.admin, body: {} }),
    ];
    for (const response of refused) {
      expect(response).toMatchObject(moving);
      expect(response.headers.get('retry-after')).toBe('5');
    }
    for (const [method, path] of [
      ['GET', '/CompanyWebhooks'],
      ['POST', '/CompanyWebhooks/query'],
      ['GET', '/EntityEvents/one'],
    ] as const) {
      const body = method === 'POST' ? { body: { Filter: [] } } : {};
      expect((await api.call(method, path, { as: tenant.admin, ...body })).status).toBe(200);
    }
    await become('active');
    await expect(sendEvent()).resolves.toMatchObject({ status: 202, body: { items: [{ status: 'duplicate' }] } });
  });

  it('is not served at all where it has not arrived', async () => {
    await become('arriving');
    expect(await api.call('GET', '/CompanyWebhooks', { as: tenant.admin })).toMatchObject(moving);
  });

  it('refuses an event of a caller that was authenticated before the move', async () => {
    const { prisma } = api.database;
    // The tenant moves while the body is on its way: the state at the commit decides.
    const responses = await Promise.all([
      ...Array.from({ length: 20 }, sendEvent),
      become('moving'),
      ...Array.from({ length: 20 }, sendEvent),
    ]);
    const statuses = responses.map((response) => ('status' in response ? response.status : undefined));
    expect(statuses.filter((status) => status !== 202 && status !== 503 && status !== undefined)).toEqual([]);
    expect((await sendEvent()).status).toBe(503);
    expect(await prisma.event.count({ where: { tenantId: tenant.id } })).toBe(statuses.includes(202) ? 1 : 0);
  });
});

describe('a tenant that another zone serves', () => {
  it('is named that zone, by zoneInformation and by every other request, also when it is erased here', async () => {
    const { prisma } = api.database;
    const eu2 = await prisma.zone.findUniqueOrThrow({ where: { name: 'eu2' } });
    await become('left');
    await prisma.zoneUser.createMany({
      data: [tenant.source, tenant.admin].map(({ userName }) => ({
        userNameFolded: userName.toLowerCase(),
        zoneId: eu2.id,
      })),
    });
    const elsewhere = {
      status: 421,
      body: failure(
        'wrongZone',
        'The tenant of this user is served by the zone eu2, at https://eu2.example; zoneInformation tells the address of a user',
      ),
    };
    const check = async () => {
      expect(await sendEvent()).toMatchObject(elsewhere);
      expect(await api.call('GET', '/CompanyWebhooks', { as: tenant.admin })).toMatchObject(elsewhere);
      const asked = await api.call('GET', `/zoneInformation?user=${encodeURIComponent(tenant.source.userName)}`);
      expect(asked).toMatchObject({
        status: 200,
        body: { zoneName: 'eu2', url: 'https://eu2.example/atservicesrest/' },
      });
    };
    await check();
    await prisma.tenant.update({ where: { id: tenant.id }, data: { deletingAt: new Date() } });
    await prisma.credential.updateMany({ where: { tenantId: tenant.id }, data: { revokedAt: new Date() } });
    await check();
  });
});
