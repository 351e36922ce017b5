import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { KeyRing } from '@callout/domain/secrets/keyring';
import { countSecretsByKey, reencryptSecrets } from '@callout/tenancy/operator/encrypted-secrets';
import { makeOwnCertificate, testCertificate } from '@callout/testing';
import { failure } from '../../fixtures/failure.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody, wholeWebhook } from '../../fixtures/webhook-body.ts';

const secretKeys = `k1:${randomBytes(32).toString('base64')}`;
const testKeyRing = KeyRing.parse(secretKeys);
const api = runTestApi({ SECRET_KEYS: secretKeys });
const tenant = tenantPerTest(() => makeTenant(api.database));

const call = (method: string, path: string, body?: unknown) => api.call(method, path, { as: tenant.integrator, body });
const create = (change: object = {}) => call('POST', '/CompanyWebhooks', { ...webhookBody(), ...change });
const patch = (body: object) => call('PATCH', '/CompanyWebhooks/1', body);
const read = async () => ((await call('GET', '/CompanyWebhooks/1')).body as { item: Record<string, unknown> }).item;

const mask = '********';
const requestHeaders = [{ name: 'X-Api-Key', value: 'a-key-of-the-gateway' }];
const oauth2 = {
  kind: 'oauth2',
  tokenUrl: 'http://127.0.0.1:9999/token',
  clientId: 'callout',
  clientSecret: 'a-client-secret',
  scope: 'hooks',
};

async function stored(): Promise<{ secrets: unknown; version: number; text: string }> {
  const row = await api.database.prisma.webhook.findFirstOrThrow({ where: { tenantId: tenant.id } });
  const { receiverKeyId: keyId, receiverNonce: nonce, receiverCiphertext: ciphertext, version } = row;
  const text = JSON.stringify(row, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  if (keyId === null || nonce === null || ciphertext === null) return { secrets: null, version, text };
  const opened = testKeyRing.decrypt({ keyId, nonce, ciphertext }, `${tenant.id}:${row.guid}`);
  return { secrets: JSON.parse(opened) as unknown, version, text };
}

describe('request headers and authentication of a webhook', () => {
  it('are stored encrypted, and read as asterisks by id and in queries', async () => {
    expect((await create({ requestHeaders, receiverAuth: oauth2, caCertificate: testCertificate })).status).toBe(200);
    const shown = {
      requestHeaders: [{ name: 'X-Api-Key', value: mask }],
      receiverAuth: { ...oauth2, clientSecret: mask, clientAuthentication: 'client_secret_basic', audience: null },
      caCertificate: testCertificate,
    };
    expect(await read()).toMatchObject(shown);
    const { body } = await call('GET', '/CompanyWebhooks/query');
    expect(body).toMatchObject({ items: [shown] });
    expect(JSON.stringify(body)).not.toMatch(/a-key-of-the-gateway|a-client-secret/u);
    const { secrets, text } = await stored();
    expect(secrets).toMatchObject({ requestHeaders, receiverAuth: oauth2 });
    expect(text).not.toMatch(/a-key-of-the-gateway|a-client-secret/u);
  });

  it('stay with asterisks or without the key, and are replaced or removed otherwise', async () => {
    await create({ requestHeaders, receiverAuth: oauth2 });
    const before = await stored();
    const { requestHeaders: shownHeaders, receiverAuth: shownAuth } = await read();
    await patch({ requestHeaders: shownHeaders, receiverAuth: shownAuth });
    await patch({ name: 'other' });
    expect(await stored()).toMatchObject({ secrets: before.secrets, version: before.version + 1 });
    await patch({ receiverAuth: { ...oauth2, scope: '', clientSecret: undefined } });
    expect((await stored()).secrets).toMatchObject({ receiverAuth: { scope: null, clientSecret: 'a-client-secret' } });
    await patch({ requestHeaders: [...(shownHeaders as object[]), { name: 'X-New', value: 'new' }] });
    expect((await stored()).secrets).toMatchObject({
      requestHeaders: [...requestHeaders, { name: 'X-New', value: 'new' }],
    });
    await patch({ requestHeaders: [], receiverAuth: { kind: 'none' } });
    expect((await stored()).secrets).toBeNull();
    await patch({ requestHeaders });
    await call('PUT', '/CompanyWebhooks/1', wholeWebhook());
    expect((await stored()).secrets).toBeNull();
    expect(await read()).toMatchObject({ requestHeaders: [], receiverAuth: { kind: 'none' }, caCertificate: null });
  });

  it('have keys in any case, each once, and name those that mean nothing', async () => {
    const { clientId, clientSecret, ...others } = oauth2;
    const given = { ...others, CLIENTID: clientId, ClientSecret: clientSecret, clientAuth: 'client_secret_post' };
    expect(await create({ receiverAuth: given })).toMatchObject({
      status: 200,
      body: { ignored: ['receiverAuth.clientAuth'] },
    });
    expect((await stored()).secrets).toMatchObject({ receiverAuth: oauth2 });
    expect(await patch({ receiverAuth: { kind: 'none', KIND: 'bearer' } })).toMatchObject({
      status: 400,
      body: { details: [{ code: 'duplicateKey', field: 'receiverAuth.kind' }] },
    });
    const { receiverAuth } = await read();
    expect((await patch({ receiverAuth })).body).not.toHaveProperty('ignored');
  });

  it('cannot be had by changing the URL: to another host they must be given again', async () => {
    await create({ receiverAuth: { kind: 'bearer', token: 'a-bearer-token' } });
    const webhookUrl = 'http://127.0.0.1:9998/in';
    const refused = await patch({ webhookUrl });
    expect(refused).toMatchObject({
      status: 400,
      body: {
        errors: [
          expect.stringContaining('receiverAuth must be given again with its token: webhookUrl goes to another host'),
        ],
      },
    });
    expect(await read()).not.toMatchObject({ webhookUrl });
    expect(await patch({ webhookUrl, receiverAuth: { kind: 'bearer', token: 'another-token' } })).toMatchObject({
      status: 200,
    });
    expect(await patch({ webhookUrl: `${webhookUrl}/elsewhere?a=b` })).toMatchObject({ status: 200 });
  });

  it.each([
    [{ requestHeaders: [{ name: 'Host', value: 'hunter2' }] }, 'requestHeaders entry 1, Host, cannot be chosen'],
    [
      { requestHeaders: [{ name: 'X-A', value: 'hunter2\r\nX-Hook-Signature: x' }] },
      'requestHeaders entry 1, X-A, must have a value of',
    ],
    [{ requestHeaders: [{ name: 'X-A', value: mask }] }, 'requestHeaders has no value of X-A yet'],
    [
      { receiverAuth: { kind: 'bearer', token: 'hunter2 with blanks' } },
      'receiverAuth of the kind bearer: token must be',
    ],
    [{ receiverAuth: { kind: 'basic', userName: 'x' } }, 'receiverAuth of the kind basic: password is required'],
    [
      { receiverAuth: { ...oauth2, tokenUrl: 'http://10.0.0.1/hunter2' } },
      'receiverAuth of the kind oauth2: tokenUrl must not point to 10.0.0.1',
    ],
    [
      { receiverAuth: { kind: 'mtls', certificate: testCertificate, privateKey: 'hunter2' } },
      'receiverAuth of the kind mtls: privateKey must be',
    ],
    [{ caCertificate: 'hunter2' }, 'caCertificate must be PEM'],
    [{ receiverAuth: 'hunter2' }, 'receiverAuth must be an object with a kind'],
  ])('are refused in words that repeat no secret: %#', async (change, message) => {
    const { status, body } = await create(change);
    expect([status, body]).toMatchObject([400, { errors: [expect.stringContaining(message)] }]);
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(api.log()).not.toMatch(/hunter2|a-client-secret|a-key-of-the-gateway|PRIVATE KEY/u);
  });

  it('are counted and re-encrypted when the key ring is rotated', async () => {
    const expiring = makeOwnCertificate();
    const receiverAuth = { kind: 'mtls', certificate: expiring.cert, privateKey: expiring.key };
    await create({ receiverAuth });
    expect(await read()).toMatchObject({ receiverAuth: { certificateExpiresAt: expect.stringMatching(/^20\d\d-/u) } });
    const { pool } = api.database;
    const newKey = randomBytes(32).toString('base64');
    const rotated = KeyRing.parse(`k9:${newKey},${secretKeys}`);
    await reencryptSecrets(pool, rotated, { after: 0, limit: 1000 });
    const row = await api.database.prisma.webhook.findFirstOrThrow({ where: { tenantId: tenant.id } });
    expect([row.secretKeyId, row.receiverKeyId]).toEqual(['k9', 'k9']);
    expect(await countSecretsByKey(pool)).toContainEqual({ keyId: 'k9', secrets: expect.any(Number) });
    const encrypted = {
      keyId: 'k9',
      nonce: row.receiverNonce ?? new Uint8Array(),
      ciphertext: row.receiverCiphertext ?? new Uint8Array(),
    };
    expect(JSON.parse(rotated.decrypt(encrypted, `${tenant.id}:${row.guid}`))).toMatchObject({ receiverAuth });
  });

  it('announce that a certificate expires once, and that this is over when it is not used any more', async () => {
    const { pool } = api.database;
    await call('POST', '/WebhookHealthWebhooks', {
      ...webhookBody(),
      fields: [{ field: 'occurrence', isSubscribedField: true }],
    });
    const expiring = makeOwnCertificate();
    await create({ receiverAuth: { kind: 'mtls', certificate: expiring.cert, privateKey: expiring.key } });
    await pool.query(
      "UPDATE webhooks SET certificate_told_days = 30 WHERE tenant_id = $1 AND entity_type = 'Account'",
      [tenant.id],
    );
    const reported = async () => {
      const { rows } = await pool.query<{ days: number | null; over: string[] }>(
        `SELECT w.certificate_told_days AS days, ARRAY(
           SELECT concat_ws(' ', o.content ->> 'occurrence', o.content ->> 'subject') FROM webhook_occurrences o
           WHERE o.tenant_id = w.tenant_id) AS over
         FROM webhooks w WHERE w.tenant_id = $1 AND w.entity_type = 'Account'`,
        [tenant.id],
      );
      return rows;
    };
    expect((await call('PATCH', '/CompanyWebhooks', { id: 1, requestHeaders })).status).toBe(200);
    expect(await reported()).toEqual([{ days: 30, over: [] }]);
    expect((await call('PATCH', '/CompanyWebhooks', { id: 1, receiverAuth: { kind: 'none' } })).status).toBe(200);
    expect(await reported()).toEqual([{ days: null, over: ['recovered certificate'] }]);
  });

  it('have a routing key for as long as alerts go to PagerDuty, which cannot be without one', async () => {
    const ofHealth = (method: string, body: object) => call(method, '/WebhookHealthWebhooks', { id: 1, ...body });
    const key = { alertFormat: 'pagerduty', alertRoutingKey: 'R0UT1NGK3Y' };
    await ofHealth('POST', { ...webhookBody(), ...key });
    const missing = {
      status: 400,
      body: failure('required', 'alertRoutingKey is required by the alertFormat pagerduty'),
    };
    expect(await ofHealth('PATCH', { alertRoutingKey: null })).toMatchObject(missing);
    expect(await ofHealth('PATCH', { alertFormat: 'pagerduty', alertRoutingKey: null })).toMatchObject(missing);
    expect((await stored()).secrets).toMatchObject({ alertRoutingKey: key.alertRoutingKey });
    // Null counts as absent in a PUT, and an absent secret stays.
    const whole = { ...wholeWebhook(), alertFormat: 'pagerduty', alertRoutingKey: null };
    expect(await ofHealth('PUT', whole)).toMatchObject({ status: 200 });
    expect((await stored()).secrets).toMatchObject({ alertRoutingKey: key.alertRoutingKey });
    const slack = { alertFormat: 'slack', alertRoutingKey: null };
    expect(await ofHealth('PATCH', slack)).toMatchObject({ status: 200 });
    expect((await stored()).secrets).toBeNull();
    // As a read shows it.
    expect(await ofHealth('PATCH', slack)).toMatchObject({ status: 200 });
  });

  it('are named in simulations, without values', async () => {
    const fields = [{ fieldID: 2, isSubscribedField: true, isDisplayAlwaysField: true }];
    const settings = { requestHeaders, receiverAuth: oauth2 };
    const webhook = { ...webhookBody(), fields, ...settings };
    await call('POST', '/CompanyWebhooks', webhook);
    const event = { action: 'Update', id: 42, fields: { companyName: 'Northwind' } };
    for (const [path, body] of [
      ['/CompanyWebhooks/1/simulate', event],
      ['/CompanyWebhooks/simulate', { webhook, event }],
    ] as const) {
      const response = await call('POST', path, body);
      const headers = { 'X-Api-Key': '<redacted>', Authorization: '<redacted>' };
      expect(response.body).toMatchObject({ item: { request: { headers } } });
      expect(JSON.stringify(response.body)).not.toMatch(/a-key-of-the-gateway|a-client-secret/u);
    }
  });

  it('include a client certificate, of which readiness says when it expires', async () => {
    const soon = makeOwnCertificate(new Date(Date.now() + 20 * 24 * 3_600_000));
    await create({ receiverAuth: { kind: 'mtls', certificate: soon.cert, privateKey: soon.key } });
    const reasons = async () =>
      ((await call('GET', '/CompanyWebhooks/1/readiness')).body as { item: { reasons: { code: string }[] } }).item
        .reasons;
    expect(await reasons()).toContainEqual(expect.objectContaining({ code: 'certificateExpires', blocks: false }));
    await api.database.pool.query(`UPDATE webhooks SET certificate_expires_at = now() WHERE tenant_id = $1`, [
      tenant.id,
    ]);
    expect(await reasons()).toContainEqual(expect.objectContaining({ code: 'certificateExpired' }));
    await patch({ receiverAuth: { kind: 'none' } });
    expect((await reasons()).map(({ code }) => code)).not.toContain('certificateExpired');
  });
});
