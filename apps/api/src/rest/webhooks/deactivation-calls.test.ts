import { describe, expect, it } from '@jest/globals';
import { companyWebhooks } from '../../fixtures/company-webhooks.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';

const { api, tenant, call, asAdmin, create, patch } = companyWebhooks();
const impersonating = (resourceId: number) => ({ ImpersonationResourceId: String(resourceId) });

async function keyOf(id = 1): Promise<number> {
  const { key } = await api.database.prisma.webhook.findFirstOrThrow({ where: { tenantId: tenant.id, id } });
  return Number(key);
}

/** The actors of a webhook's deactivation calls, oldest first. */
async function callers(id = 1): Promise<unknown[]> {
  const { rows } = await api.database.pool.query<{ body: string }>(
    `SELECT b.body FROM callouts c JOIN callout_bodies b ON b.callout_id = c.id
     WHERE c.webhook_key = $1 AND c.kind = 'deactivation' ORDER BY c.sequence_number`,
    [await keyOf(id)],
  );
  return rows.map(({ body }) => (JSON.parse(body) as { PersonID: unknown }).PersonID);
}

describe('the call is enqueued for the worker', () => {
  const enqueuedBy = async (act: () => Promise<unknown>): Promise<number[]> => {
    const before = api.enqueuedWebhooks.length;
    await act();
    return api.enqueuedWebhooks.slice(before);
  };

  it('of a webhook that is deactivated or deleted, and for nothing else', async () => {
    expect(await enqueuedBy(() => create())).toEqual([]);
    const key = await keyOf();
    expect(await enqueuedBy(() => patch({ name: 'new' }))).toEqual([]);
    expect(await enqueuedBy(() => patch({ isActive: false }))).toEqual([key]);
    expect(await enqueuedBy(() => patch({ isActive: true }))).toEqual([]);
    expect(await enqueuedBy(() => call('DELETE', '/CompanyWebhooks/1'))).toEqual([key]);
    const { integrator } = tenant;
    expect(await callers()).toEqual([integrator.resourceId, integrator.resourceId]);
  });

  it.each([
    ['PATCH', { isActive: false }],
    ['DELETE', undefined],
  ])('of each webhook whose owner goes: %s', async (method, body) => {
    await create();
    await call('POST', '/ContactWebhooks', webhookBody());
    const contactKey = await api.database.prisma.webhook.findFirstOrThrow({
      where: { tenantId: tenant.id, entityType: 'Contact' },
    });
    const keys = [await keyOf(), Number(contactKey.key)];
    const { resourceId } = tenant.integrator;
    const enqueued = await enqueuedBy(() => asAdmin(method, `/Resources/${resourceId}`, body));
    expect(enqueued.toSorted((a, b) => a - b)).toEqual(keys);
    expect(await callers()).toEqual([tenant.admin.resourceId]);
    // At once, for everything that the resource itself would do.
    await expect(call('GET', '/CompanyWebhooks/1')).resolves.toMatchObject({ status: 401 });
    // It cannot be impersonated any more either.
    await expect(
      api.call('GET', '/CompanyWebhooks/1', { as: tenant.admin, headers: impersonating(resourceId) }),
    ).resolves.toMatchObject({ status: 400 });
  });
});
