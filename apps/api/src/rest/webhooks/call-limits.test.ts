import { describe, expect, it } from '@jest/globals';
import { insertCallout } from '@callout/pipeline/fixtures/callouts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody, wholeWebhook } from '../../fixtures/webhook-body.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

const call = (method: string, path: string, body?: unknown) => api.call(method, path, { as: tenant.integrator, body });
const create = (change: object = {}) => call('POST', '/CompanyWebhooks', { ...webhookBody(), ...change });
const patch = (body: object) => call('PATCH', '/CompanyWebhooks/1', body);
const itemOf = async (path: string) => ((await call('GET', path)).body as { item: Record<string, unknown> }).item;
const read = () => itemOf('/CompanyWebhooks/1');

const limits = { maxCallsPerSecond: 0.1, maxConcurrentCalls: 200 };
const none = { maxCallsPerSecond: null, maxConcurrentCalls: null };

describe('the limits that a webhook has for its calls', () => {
  it('are none by default, and set, changed and removed like other fields', async () => {
    await create();
    expect(await read()).toMatchObject(none);
    expect((await patch(limits)).status).toBe(200);
    expect(await read()).toMatchObject(limits);
    await patch({ maxCallsPerSecond: '12.5' });
    expect(await read()).toMatchObject({ maxCallsPerSecond: 12.5, maxConcurrentCalls: 200 });
    await patch({ maxCallsPerSecond: null });
    expect(await read()).toMatchObject({ ...none, maxConcurrentCalls: 200 });
    await call('PUT', '/CompanyWebhooks/1', wholeWebhook());
    expect(await read()).toMatchObject(none);
  });

  it.each([
    ['maxCallsPerSecond', 0],
    ['maxCallsPerSecond', 0.09],
    ['maxCallsPerSecond', 1_000.1],
    ['maxCallsPerSecond', -1],
    ['maxCallsPerSecond', '1e3'],
    ['maxCallsPerSecond', true],
    ['maxCallsPerSecond', [5]],
    ['maxConcurrentCalls', 0],
    ['maxConcurrentCalls', 1.5],
    ['maxConcurrentCalls', 201],
    ['maxConcurrentCalls', ''],
  ])('refuses %s %j, and says which numbers there are', async (field, value) => {
    const { status, body } = await create({ [field]: value });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(field === 'maxCallsPerSecond' ? 'from 0.1 to 1000' : 'from 1 to 200');
  });

  it('are refused where a program fetches the callouts, however the webhook becomes such a one', async () => {
    const refused = { status: 400, body: { errors: [expect.stringContaining('maxConcurrentCalls must be null')] } };
    const pulled = { webhookUrl: 'pull:' };
    expect(await create({ ...pulled, maxConcurrentCalls: 3 })).toMatchObject(refused);
    expect((await create({ maxConcurrentCalls: 3 })).status).toBe(200);
    expect(await patch(pulled)).toMatchObject(refused);
    expect((await patch({ ...pulled, maxConcurrentCalls: null })).status).toBe(200);
    expect(await patch({ maxConcurrentCalls: 3 })).toMatchObject(refused);
  });

  it('can be searched for', async () => {
    await create(limits);
    await create();
    const search = { filter: [{ op: 'lte', field: 'maxCallsPerSecond', value: 0.5 }] };
    const { body } = await call('POST', '/CompanyWebhooks/query', search);
    expect(body).toMatchObject({ items: [{ id: 1 }] });
  });
});

describe('a callout beyond the limits of its webhook', () => {
  async function aDueCallout() {
    await create({ ...limits, isActive: true });
    const { key } = await api.database.prisma.webhook.findFirstOrThrow({ where: { tenantId: tenant.id } });
    const webhookKey = Number(key);
    const id = await insertCallout(api.database.pool, { tenantId: tenant.id, webhookKey, recordId: 1 });
    return { id, webhookKey, shown: () => itemOf(`/Callouts/${id}`) };
  }

  it('waits for a worker as long as no call has begun', async () => {
    const { shown } = await aDueCallout();
    expect(await shown()).toMatchObject({ state: 'due', waitsFor: { reason: 'worker' } });
  });

  it('waits for the rate, and nobody knows how many go first', async () => {
    const { webhookKey, shown } = await aDueCallout();
    await api.database.pool.query("INSERT INTO webhook_rates VALUES ($1, now() + interval '5 seconds')", [webhookKey]);
    expect(await shown()).toMatchObject({
      state: 'due',
      nextAttemptDateTime: null,
      waitsFor: { reason: 'rate', message: expect.stringContaining('0.1 calls per second (maxCallsPerSecond)') },
    });
  });

  it('waits for the end of another call', async () => {
    const { webhookKey, shown } = await aDueCallout();
    await patch({ maxConcurrentCalls: 1 });
    await api.database.pool.query(
      "INSERT INTO limited_calls VALUES ($1, gen_random_uuid(), gen_random_uuid(), now() + interval '1 minute')",
      [webhookKey],
    );
    expect(await shown()).toMatchObject({
      waitsFor: { reason: 'rate', message: expect.stringContaining('(maxConcurrentCalls)') },
    });
  });

  it('has to wait for nothing that an earlier rate asks for', async () => {
    const { webhookKey, shown } = await aDueCallout();
    await api.database.pool.query("INSERT INTO webhook_rates VALUES ($1, now() + interval '1 hour')", [webhookKey]);
    await patch({ maxCallsPerSecond: 0.1, name: 'the same rate' });
    expect(await shown()).toMatchObject({ waitsFor: { reason: 'rate' } });
    await patch({ maxCallsPerSecond: 100 });
    expect(await shown()).toMatchObject({ waitsFor: { reason: 'worker' } });
  });
});
