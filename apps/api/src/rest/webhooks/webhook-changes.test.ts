import { beforeEach, describe, expect, it } from '@jest/globals';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  api.call(method, path, { as: tenant.integrator, body, headers });
const asAdmin = (method: string, path: string, body?: unknown) => api.call(method, path, { as: tenant.admin, body });
const create = (change: Record<string, unknown> = {}) => call('POST', '/CompanyWebhooks', webhookBody(change));
const patch = (change: Record<string, unknown>) => call('PATCH', '/CompanyWebhooks/1', change);
const impersonating = (resourceId: number) => ({ ImpersonationResourceId: String(resourceId) });

interface ChangeItem {
  change: string;
  cause: string;
  resourceID: number | null;
  detail: string | null;
}

async function changes(id = 1): Promise<ChangeItem[]> {
  return ((await call('GET', `/CompanyWebhooks/${id}/Changes`)).body as { items: ChangeItem[] }).items;
}

/** The changes since the webhook was created, oldest first. */
async function happened(): Promise<string[]> {
  return (await changes())
    .map(({ change }) => change)
    .toReversed()
    .slice(1);
}

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

describe('the changes of a webhook', () => {
  it('begin with its creation, and say what it was from then on', async () => {
    await create({ isActive: false });
    await create();
    await create({ fields: [{ fieldID: 2 }] });
    const resourceID = tenant.integrator.resourceId;
    expect(await call('GET', '/CompanyWebhooks/1/Changes')).toMatchObject({
      status: 200,
      body: {
        items: [
          {
            id: expect.stringMatching(/^[0-9a-f-]{36}$/),
            changeDateTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
            change: 'created',
            cause: 'user',
            resourceID,
            detail: null,
          },
        ],
        pageDetails: { count: 1, requestCount: 500, prevPageUrl: null, nextPageUrl: null },
      },
    });
    expect((await changes(2)).map(({ change }) => change)).toEqual(['activated', 'created']);
    expect((await changes(3)).map(({ change }) => change)).toEqual(['ready', 'activated', 'created']);
    expect(await callers(1)).toEqual([]);
  });

  it('name the resource that is impersonated', async () => {
    const { resourceId } = tenant.source;
    await call('POST', '/CompanyWebhooks', webhookBody(), impersonating(resourceId));
    await call('POST', '/CompanyWebhooks/1/Fields', { fieldID: 2 }, impersonating(resourceId));
    await call('PATCH', '/CompanyWebhooks/1', { isActive: false }, impersonating(resourceId));
    expect((await changes()).map(({ change, resourceID }) => [change, resourceID])).toEqual([
      ['deactivated', resourceId],
      ['ready', resourceId],
      ['activated', resourceId],
      ['created', resourceId],
    ]);
    expect(await callers()).toEqual([resourceId]);
  });

  it('name what signs for the webhook and was replaced, once for a repeated request', async () => {
    await create({ signatureKind: 'both' });
    await create({ signatureKind: 'hmac' });
    await patch({ secretKey: 'a second secret' });
    for (const _time of ['once', 'again']) {
      await call('POST', '/CompanyWebhooks/1/rotateSecret', { secretKey: 'a third secret', overlapHours: 1 });
    }
    const { items } = (await asAdmin('GET', '/WebhookKeys')).body as { items: { kid: string }[] };
    for (const overlapHours of [1, 2])
      await asAdmin('POST', '/WebhookKeys/rotate', { kid: items[0]?.kid, overlapHours });
    const { integrator, admin } = tenant;
    const user = { cause: 'user', detail: null };
    expect((await changes()).slice(0, -2)).toMatchObject([
      { ...user, change: 'signingKeyRotated', resourceID: admin.resourceId },
      { ...user, change: 'secretRotated', resourceID: integrator.resourceId },
      { ...user, change: 'secretRotated', resourceID: integrator.resourceId },
    ]);
    expect((await changes(2)).map(({ change }) => change)).toEqual(['activated', 'created']);
  });

  it('are the newest 500', async () => {
    await create({ isActive: false });
    await api.database.pool.query(
      `INSERT INTO webhook_changes (id, tenant_id, webhook_key, change, cause)
       SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, $2, 'paused', 'receiverDown'
       FROM generate_series(1, 600) AS n`,
      [tenant.id, await keyOf()],
    );
    const listed = await changes();
    expect(listed).toHaveLength(500);
    expect(listed[0]).toMatchObject({ change: 'created' });
  });
});

describe('a webhook becomes ready and not ready', () => {
  beforeEach(async () => {
    await asAdmin('POST', '/UserDefinedFieldDefinitions', {
      entityType: 'Account',
      name: 'tier',
      label: 'Tier',
      dataType: 'string',
    });
    await create({ isActive: false });
  });

  it('with its first field record and without its last', async () => {
    await call('POST', '/CompanyWebhooks/1/ExcludedResources', { resourceID: 2 });
    await call('POST', '/CompanyWebhooks/1/Fields', { fieldID: 2 });
    await call('POST', '/CompanyWebhooks/1/Fields', { fieldID: 2 });
    await call('POST', '/CompanyWebhookUdfFields', { webhookID: 1, udfFieldID: 1 });
    await call('DELETE', '/CompanyWebhooks/1/Fields/1');
    expect(await happened()).toEqual(['ready']);
    await call('DELETE', '/CompanyWebhooks/1/UdfFields/1');
    await call('DELETE', '/CompanyWebhooks/1/ExcludedResources/1');
    expect(await happened()).toEqual(['ready', 'notReady']);
  });

  it('with the definition that its last field record names', async () => {
    await call('POST', '/CompanyWebhooks/1/UdfFields', { udfFieldID: 1 });
    await asAdmin('DELETE', '/UserDefinedFieldDefinitions/1');
    expect((await changes())[0]).toMatchObject({
      change: 'notReady',
      cause: 'user',
      resourceID: tenant.admin.resourceId,
      detail: 'the user-defined field Tier was deleted',
    });
  });

  it('with subscriptions: deletions alone need no field', async () => {
    await patch({ isSubscribedToDeleteEvents: true });
    await patch({ isSubscribedToUpdateEvents: false });
    expect(await happened()).toEqual(['ready']);
    await patch({ name: 'new' });
    await call('POST', '/CompanyWebhooks/1/Fields', { fieldID: 2 });
    await patch({ isSubscribedToCreateEvents: true });
    expect(await happened()).toEqual(['ready']);
    await call('DELETE', '/CompanyWebhooks/1/Fields/1');
    expect(await happened()).toEqual(['ready', 'notReady']);
  });

  it('once, however many change it at once', async () => {
    await Promise.all([2, 3, 4, 5].map((fieldID) => call('POST', '/CompanyWebhooks/1/Fields', { fieldID })));
    expect(await happened()).toEqual(['ready']);
    await Promise.all([1, 2, 3, 4].map((id) => call('DELETE', `/CompanyWebhooks/1/Fields/${id}`)));
    expect(await happened()).toEqual(['ready', 'notReady']);
  });
});

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
