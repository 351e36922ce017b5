import { describe, expect, it } from '@jest/globals';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeCredential, makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { insertErrorLog } from '../../fixtures/whole-tenant.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

const get = (id: number, as = tenant.integrator, headers = {}) =>
  api.call('GET', `/WebhookEventErrorLogs/${id}`, { as, headers });
const remove = (id: number, as = tenant.integrator) => api.call('DELETE', `/WebhookEventErrorLogs/${id}`, { as });

describe('an error log', () => {
  it.each([
    ['Account', { accountWebhookID: 1 }],
    ['Contact', { contactWebhookID: 1 }],
    ['Ticket', {}],
  ])('of %s is read by the owner of its webhook', async (entityType, own) => {
    const id = await insertErrorLog(api, tenant.id, tenant.integrator.resourceId, entityType);
    expect((await get(id)).body).toEqual({
      item: {
        id,
        webhookID: 1,
        webhookGUID: expect.stringMatching(/^[0-9a-f-]{36}$/),
        entityType,
        sequenceNumber: 7,
        createDateTime: '2026-03-04T05:06:07Z',
        errorMessage: 'The receiver answered 500.',
        payload: '{"Action":"Update"}',
        ...own,
      },
    });
  });

  it('of another resource is 404, for reading and deleting, except for an admin', async () => {
    const id = await insertErrorLog(api, tenant.id, tenant.source.resourceId);
    await expect(get(id)).resolves.toMatchObject({ status: 404 });
    await expect(remove(id)).resolves.toMatchObject({ status: 404 });
    await expect(get(id, tenant.admin)).resolves.toMatchObject({ status: 200 });
    await expect(remove(id, tenant.admin)).resolves.toMatchObject({ status: 200, body: { itemId: id } });
    await expect(get(id, tenant.admin)).resolves.toMatchObject({ status: 404 });
  });

  it('belongs to the resource and not to the credential, and impersonation does not help', async () => {
    const id = await insertErrorLog(api, tenant.id, tenant.integrator.resourceId);
    const second = await makeCredential(api.database, tenant.id, tenant.integrator.resourceId, 'integrator');
    await expect(get(id, second)).resolves.toMatchObject({ status: 200 });
    const stranger = await makeCredential(api.database, tenant.id, tenant.source.resourceId, 'integrator');
    const headers = { ImpersonationResourceId: String(tenant.integrator.resourceId) };
    await expect(get(id, stranger, headers)).resolves.toMatchObject({ status: 404 });
  });

  it('is deleted once, by its owner', async () => {
    const id = await insertErrorLog(api, tenant.id, tenant.integrator.resourceId);
    await expect(remove(id)).resolves.toMatchObject({ status: 200, body: { itemId: id } });
    await expect(remove(id)).resolves.toMatchObject({ status: 404 });
  });

  it.each([
    ['POST', '', 405],
    ['PATCH', '/1', 405],
    ['PUT', '/1', 405],
    ['GET', '/0', 404],
    ['GET', '/9007199254740992', 400],
  ])('%s %s is %i', async (method, path, status) => {
    const response = await api.call(method, `/WebhookEventErrorLogs${path}`, { as: tenant.admin, body: undefined });
    expect(response.status).toBe(status);
  });
});
