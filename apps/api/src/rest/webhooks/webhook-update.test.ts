import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import { failure } from '../../fixtures/failure.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody, wholeWebhook } from '../../fixtures/webhook-body.ts';

const SECRET_KEYS = `k9:${randomBytes(32).toString('base64')}`;
const api = runTestApi({ SECRET_KEYS });
const tenant = tenantPerTest(() => makeTenant(api.database));

beforeEach(async () => {
  await call('POST', '', webhookBody({ notificationEmailAddress: 'ops@example.com' }));
});

const call = (method: string, path: string, body?: unknown, collection = '/CompanyWebhooks') =>
  api.call(method, collection + path, { as: tenant.integrator, body });
const patch = (body: Record<string, unknown>) => call('PATCH', '', { id: 1, ...body });
const read = async (id = 1) => ((await call('GET', `/${id}`)).body as { item: Record<string, unknown> }).item;

async function stored(id = 1) {
  const [webhook] = await api.database.prisma.webhook.findMany({ where: { tenantId: tenant.id, id } });
  if (webhook === undefined) throw new Error(`no webhook ${id}`);
  return webhook;
}

describe('the id of an update', () => {
  it.each(['PATCH', 'PUT'])('of %s is in the body, in the path, or in both alike', async (method) => {
    const { id: _id, ...body } = wholeWebhook();
    for (const [path, given] of [
      ['', { ...body, id: 1 }],
      ['/', { ...body, ID: '1' }],
      ['/1', body],
      ['/1/', { ...body, id: '1' }],
    ] as const) {
      await expect(call(method, path, given)).resolves.toMatchObject({ status: 200, body: { itemId: 1 } });
    }
  });

  it.each(['PATCH', 'PUT'])('of %s that is missing, differs, or names nothing is refused', async (method) => {
    const { id: _id, ...body } = wholeWebhook();
    await expect(call(method, '', body)).resolves.toMatchObject({ status: 400, body: failure('required') });
    await expect(call(method, '/1', { ...body, id: 2 })).resolves.toMatchObject({
      status: 400,
      body: failure('invalid'),
    });
    for (const id of [2, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      await expect(call(method, '', { ...body, id })).resolves.toMatchObject({
        status: 404,
        body: failure('notFound'),
      });
    }
    for (const id of ['9007199254740992', 0, -1, 1.5, 'one', null, true]) {
      await expect(call(method, '', { ...body, id })).resolves.toMatchObject({ status: 400 });
    }
  });
});

describe('PATCH', () => {
  it('changes the keys that are present, and no other', async () => {
    const before = await read();
    await expect(
      call('PATCH', '', { Id: '1', NAME: 'new', issubscribedtodeleteevents: 'True' }),
    ).resolves.toMatchObject({
      status: 200,
      body: { itemId: 1 },
    });
    expect(await read()).toEqual({ ...before, name: 'new', isSubscribedToDeleteEvents: true });
  });

  it('changes nothing when anything is wrong', async () => {
    const before = await stored();
    await expect(patch({ name: 'new', webhookUrl: 'gopher://x' })).resolves.toMatchObject({ status: 400 });
    expect(await stored()).toEqual(before);
  });
});

describe('PUT', () => {
  it('sets what is left out: subscriptions to false, the address to none', async () => {
    await patch({ isSubscribedToCreateEvents: true, isSubscribedToDeleteEvents: true });
    const before = await read();
    await expect(call('PUT', '', wholeWebhook())).resolves.toMatchObject({ status: 200, body: { itemId: 1 } });
    expect(await read()).toEqual({
      ...before,
      ...wholeWebhook(),
      isSubscribedToCreateEvents: false,
      isSubscribedToUpdateEvents: false,
      isSubscribedToDeleteEvents: false,
      notificationEmailAddress: null,
    });
    await call('PUT', '', wholeWebhook({ notificationEmailAddress: 'ops@example.com' }));
    await call('PUT', '', wholeWebhook({ notificationEmailAddress: '' }));
    expect(await read()).toMatchObject({ notificationEmailAddress: null });
  });

  it('keeps the secret when it is absent, null or masked, and stores a new one', async () => {
    const { secretCiphertext } = await stored();
    for (const change of [{}, { secretKey: null }, { secretKey: '********' }]) {
      await expect(call('PUT', '', wholeWebhook(change))).resolves.toMatchObject({ status: 200 });
      expect((await stored()).secretCiphertext).toEqual(secretCiphertext);
    }
    await call('PUT', '', wholeWebhook({ secretKey: 'another secret' }));
    expect(await read()).toMatchObject({ secretKey: '********' });
    const { guid, ...webhook } = await stored();
    const encrypted = {
      keyId: webhook.secretKeyId,
      nonce: Buffer.from(webhook.secretNonce),
      ciphertext: Buffer.from(webhook.secretCiphertext),
    };
    expect(KeyRing.parse(SECRET_KEYS).decrypt(encrypted, secretAad(tenant.id, guid))).toBe('another secret');
  });
});
