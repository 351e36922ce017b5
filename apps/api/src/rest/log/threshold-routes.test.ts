import { describe, expect, it } from '@jest/globals';
import { insertLoggedCallout } from '../../fixtures/logged-callout.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';
import { listOf } from './listed.fixture.ts';

const api = runTestApi({ CALLOUT_THRESHOLD: '250' });
const tenant = tenantPerTest(() => makeTenant(api.database));

describe('GET /CalloutThresholds', () => {
  const thresholds = async () => listOf(await api.call('GET', '/CalloutThresholds', { as: tenant.integrator })).items;

  it('shows limit and use of every entity, with the installation’s limit or the tenant’s own', async () => {
    const nothing = {
      limit: 250,
      used: 0,
      held: 0,
      oldestHeldDateTime: null,
      heldSinceDateTime: null,
      mode: 'hold',
      forecastDateTime: null,
    };
    const entityTypes = ['Account', 'InstalledProduct', 'Contact', 'TicketNote', 'Ticket', 'WebhookHealth'];
    const rows = await thresholds();
    expect(rows).toHaveLength(entityTypes.length);
    expect(rows).toEqual(expect.arrayContaining(entityTypes.map((entityType) => ({ entityType, ...nothing }))));
    for (const callouts of [0, 40]) {
      await api.database.prisma.tenant.update({ where: { id: tenant.id }, data: { calloutThreshold: callouts } });
      expect((await thresholds()).map(({ limit }) => limit)).toEqual(entityTypes.map(() => callouts));
    }
  });

  it('shows the mode spread of an entity with an active webhook that has it', async () => {
    await api.call('POST', '/CompanyWebhooks', {
      as: tenant.integrator,
      body: { ...webhookBody(), isActive: true, thresholdMode: 'spread' },
    });
    const spread = async () =>
      (await thresholds()).filter(({ mode }) => mode === 'spread').map(({ entityType }) => entityType);
    expect(await spread()).toEqual(['Account']);
    await api.call('PATCH', '/CompanyWebhooks', { as: tenant.integrator, body: { id: 1, isActive: false } });
    expect(await spread()).toEqual([]);
  });

  it('counts the last 3,600 seconds, and the held callouts', async () => {
    await api.call('POST', '/CompanyWebhooks', { as: tenant.integrator, body: webhookBody() });
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
      mode: 'hold',
      used: 23,
      forecastDateTime: null,
      held: 2,
      oldestHeldDateTime: callouts.at(-1)?.['createDateTime'],
      heldSinceDateTime: '2026-03-04T05:06:07.008Z',
    });
  });

  it('forecasts when the limit is reached at the rate of the last ten minutes', async () => {
    const { pool, prisma } = api.database;
    const count = (minutesAgo: number, used: number) =>
      pool.query("INSERT INTO threshold_use VALUES ($1, 'Account', now() - $2 * interval '1 minute', $3)", [
        tenant.id,
        minutesAgo,
        used,
      ]);
    const forecast = async () => {
      const account = (await thresholds()).find(({ entityType }) => entityType === 'Account');
      const at = account?.['forecastDateTime'];
      return typeof at === 'string' ? Math.round(Math.max(0, Date.parse(at) - Date.now()) / 60_000) : at;
    };
    await count(5.5, 100);
    // 10 a minute, 150 are left.
    expect(await forecast()).toBe(15);
    await count(30, 140);
    expect(await forecast()).toBe(1);
    await count(31, 10);
    expect(await forecast()).toBe(0);
    await prisma.tenant.update({ where: { id: tenant.id }, data: { calloutThreshold: 0, thresholdMode: 'spread' } });
    expect(await forecast()).toBeNull();
    expect(await thresholds()).toMatchObject(Array.from({ length: 6 }, () => ({ mode: 'spread' })));
  });
});
