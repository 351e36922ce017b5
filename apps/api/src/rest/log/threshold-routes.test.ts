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
      used: 23,
      held: 2,
      oldestHeldDateTime: callouts.at(-1)?.['createDateTime'],
      heldSinceDateTime: '2026-03-04T05:06:07.008Z',
    });
  });
});
