import { describe, expect, it } from '@jest/globals';
import { shownDefaults } from '@callout/webhooks/settings/samples.fixture';
import { failure } from '../../fixtures/failure.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';

const api = runTestApi({ MAX_ACTIVE_WEBHOOKS_PER_ENTITY: '5' });
const tenant = tenantPerTest(() => makeTenant(api.database));

const create = (change: Record<string, unknown> = {}, collection = '/CompanyWebhooks') =>
  api.call('POST', collection, { as: tenant.integrator, body: webhookBody(change) });
const read = async (id: number, collection = '/CompanyWebhooks') =>
  (await api.call('GET', `${collection}/${id}`, { as: tenant.integrator })).body;

describe('creating a webhook', () => {
  it('responds with the id, counted from 1, and reads show it without its secret', async () => {
    await expect(create()).resolves.toMatchObject({ status: 200, body: { itemId: 1 } });
    await expect(create()).resolves.toMatchObject({ body: { itemId: 2 } });
    expect(await read(1)).toEqual({
      item: {
        ...shownDefaults('Account'),
        id: 1,
        webhookGUID: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
        name: 'crm.Company.Update',
        webhookUrl: 'http://127.0.0.1:9999/in',
        deactivationUrl: 'http://127.0.0.1:9999/off',
        isActive: true,
        isReady: false,
        isSubscribedToUpdateEvents: true,
        ownerResourceID: tenant.integrator.resourceId,
        secretKey: '********',
        signingPublicKey: null,
        signingKeysUrl: null,
      },
    });
  });

  it.each(['CompanyWebhooks', 'ContactWebhooks', 'ConfigurationItemWebhooks', 'TicketWebhooks', 'TicketNoteWebhooks'])(
    'counts the ids of %s by themselves',
    async (collection) => {
      await create();
      await expect(create({}, `/${collection.toLowerCase()}/`)).resolves.toMatchObject({
        body: { itemId: collection === 'CompanyWebhooks' ? 2 : 1 },
      });
      expect(await read(1, `/${collection}`)).toMatchObject({ item: { id: 1 } });
    },
  );

  it('stores everything that comes along, or nothing, and leaves no gap in the ids', async () => {
    const children = {
      fields: [
        { fieldID: 2, isSubscribedField: true },
        { field: 'PhoneNumber', isDisplayAlwaysField: true },
      ],
      excludedResources: [{ resourceID: 3 }],
    };
    const refused = [
      create({ ...children, fields: [{ fieldID: 1 }] }),
      create({ ...children, fields: [{ fieldID: 2 }, { field: 'companyName' }] }),
      create({ ...children, excludedResources: [{ resourceID: 3 }, { resourceID: 404 }] }),
      create({ ...children, excludedResources: [{ resourceID: 4_294_967_297 }] }),
      create({ ...children, udfFields: [{ udfField: 'nothing' }] }),
    ];
    expect((await Promise.all(refused)).map((response) => response.status)).toEqual([400, 409, 400, 400, 400]);
    await expect(
      create({ ...children, fields: [{ fieldID: 2, isSubscribedField: true }, { field: 'CITY' }] }),
    ).resolves.toMatchObject({ status: 200, body: { itemId: 1 } });
    expect(await read(1)).toMatchObject({ item: { isReady: true } });
    const fields = await api.call('GET', '/CompanyWebhooks/1/Fields', { as: tenant.integrator });
    expect(fields.body).toMatchObject({ items: [{ id: 1, fieldID: 2 }, { id: 2 }] });
    const excluded = await api.database.prisma.webhookExcludedResource.findMany({ where: { tenantId: tenant.id } });
    expect(excluded).toEqual([expect.objectContaining({ id: 1, resourceId: 3 })]);
  });

  it('may bring user-defined fields of its tenant and entity', async () => {
    const definition = { dataType: 'string', tenantId: tenant.id };
    await api.database.prisma.udfDefinition.createMany({
      data: [
        {
          ...definition,
          id: 1,
          entityType: 'Account',
          name: 'Tier',
          nameFolded: 'tier',
          label: 'Service Tier',
          labelFolded: 'service tier',
        },
        {
          ...definition,
          id: 2,
          entityType: 'Contact',
          name: 'Nick',
          nameFolded: 'nick',
          label: 'Nick',
          labelFolded: 'nick',
        },
      ],
    });
    await expect(create({ udfFields: [{ udfFieldID: 2 }] })).resolves.toMatchObject({ status: 400 });
    await expect(create({ udfFields: [{ udfField: 'TIER', isSubscribedField: true }] })).resolves.toMatchObject({
      status: 200,
    });
    expect(await read(1)).toMatchObject({ item: { isReady: true } });
  });

  it('needs the right to create webhooks', async () => {
    await api.database.prisma.resource.updateMany({
      where: { tenantId: tenant.id },
      data: { canCreateWebhooks: false },
    });
    await expect(create()).resolves.toMatchObject({ status: 403 });
  });

  it('notes when it became active by the clock of the database, and never when it is not', async () => {
    await create();
    await create({ isActive: false });
    const stored = await api.database.prisma.webhook.findMany({
      where: { tenantId: tenant.id },
      orderBy: { id: 'asc' },
    });
    expect(stored.map((webhook) => webhook.activatedAt)).toEqual([expect.anything(), null]);
  });

  it('keeps its secret encrypted, bound to tenant and webhook', async () => {
    await create({ secretKey: 'plain words not to be seen' });
    const [stored] = await api.database.prisma.webhook.findMany({ where: { tenantId: tenant.id } });
    expect(stored?.secretKeyId).toBe('k1');
    expect(stored?.secretNonce).toHaveLength(12);
    expect(Buffer.from(stored?.secretCiphertext ?? []).toString('latin1')).not.toContain('plain words');
  });
});

describe('the limit of all webhooks', () => {
  const count = () => api.database.prisma.webhook.count({ where: { tenantId: tenant.id, deletedAt: null } });

  it('is four times that of active ones, also when many are created at once', async () => {
    const responses = await Promise.all(Array.from({ length: 25 }, () => create({ isActive: false })));
    expect(responses.filter((response) => response.status === 200)).toHaveLength(20);
    for (const refused of responses.filter((response) => response.status !== 200)) {
      expect(refused).toMatchObject({
        status: 409,
        body: failure(
          'conflict',
          expect.stringMatching(/^CompanyWebhooks may have 20 webhooks, .* has 20: delete one first/),
        ),
      });
    }
    expect(await count()).toBe(20);
    await expect(create()).resolves.toMatchObject({ status: 409 });
    await expect(create({ isActive: false }, '/TicketWebhooks')).resolves.toMatchObject({ status: 200 });
  });

  it('leaves room for another when one is deleted, and existing ones can be changed', async () => {
    for (let n = 0; n < 20; n += 1) await create({ isActive: false });
    const call = (method: string, path: string, body?: unknown) =>
      api.call(method, `/CompanyWebhooks${path}`, { as: tenant.integrator, body });
    await expect(call('PATCH', '/20', { name: 'changed', isActive: true })).resolves.toMatchObject({ status: 200 });
    await expect(call('DELETE', '/1')).resolves.toMatchObject({ status: 200 });
    await expect(create({ isActive: false })).resolves.toMatchObject({ status: 200, body: { itemId: 21 } });
  });
});

describe('the limit of active webhooks', () => {
  it('holds when many are created at once, and ids stay without a gap', async () => {
    const responses = await Promise.all(Array.from({ length: 12 }, () => create()));
    const ids = responses.flatMap((response) =>
      response.status === 200 ? [(response.body as { itemId: number }).itemId] : [],
    );
    expect(ids.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5]);
    expect(responses.filter((response) => response.status === 409)).toHaveLength(7);
    await expect(create({ isActive: false })).resolves.toMatchObject({ status: 200, body: { itemId: 6 } });
    await expect(create({}, '/TicketWebhooks')).resolves.toMatchObject({ status: 200, body: { itemId: 1 } });
  });
});
