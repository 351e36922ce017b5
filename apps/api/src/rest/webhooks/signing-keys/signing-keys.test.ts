import { describe, expect, it } from '@jest/globals';
import { signingKeyRow } from '@callout/database/fixtures/signing-key-row';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { runTestApi } from '../../../fixtures/run-test-api.ts';
import { call } from '../../../fixtures/test-api.ts';
import { makeTenant, tenantPerTest } from '../../../fixtures/test-tenant.ts';
import { webhookBody, wholeWebhook } from '../../../fixtures/webhook-body.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

const ask = (method: string, path: string, body?: unknown, as = tenant.admin) => api.call(method, path, { as, body });
const create = (change: object = {}) => ask('POST', '/CompanyWebhooks', { ...webhookBody(), ...change });
const patch = (body: object) => ask('PATCH', '/CompanyWebhooks/1', body);

interface Shown {
  readonly kid: string;
  readonly state: string;
  readonly signingPublicKey: string;
  readonly endDateTime: string | null;
  readonly signingKeysUrl: string;
}

async function read(): Promise<Record<string, unknown>> {
  return ((await ask('GET', '/CompanyWebhooks/1')).body as { item: Record<string, unknown> }).item;
}

async function keys(): Promise<readonly Shown[]> {
  return ((await ask('GET', '/WebhookKeys')).body as { items: Shown[] }).items;
}

async function current(): Promise<Shown> {
  const [first] = await keys();
  if (first === undefined) throw new Error('no key');
  return first;
}

/** Receivers read it without credentials. */
const jwks = (url: string, method = 'GET') => call(`${api.url}${new URL(url, api.url).pathname}`, method, {});
const rotate = (body: object, as = tenant.admin) => ask('POST', '/WebhookKeys/rotate', body, as);

describe('the signatureKind of a webhook', () => {
  it('is hmac unless it is given, and then there is no key pair', async () => {
    await create();
    expect(await read()).toMatchObject({ signatureKind: 'hmac', signingPublicKey: null, signingKeysUrl: null });
    expect(await keys()).toEqual([]);
    expect(await signingKeyRow(api.database.pool, tenant.id)).toBeUndefined();
  });

  it.each(['ed25519', 'both', 'ED25519'])('is %s, with the public key of the tenant and its address', async (kind) => {
    expect(await create({ signatureKind: kind })).toMatchObject({ status: 200 });
    const item = await read();
    const key = await current();
    expect(item).toMatchObject({
      signatureKind: kind.toLowerCase(),
      signingPublicKey: key.signingPublicKey,
      signingKeysUrl: key.signingKeysUrl,
    });
    expect((await ask('GET', '/CompanyWebhooks/query')).body).toMatchObject({ items: [item] });
  });

  it('is changed by PATCH and reset by PUT, and the tenant keeps its key pair', async () => {
    await create();
    await patch({ signatureKind: 'both' });
    const before = await current();
    await create({ name: 'another', signatureKind: 'ed25519' });
    expect(await keys()).toEqual([before]);
    await ask('PUT', '/CompanyWebhooks/1', wholeWebhook());
    expect(await read()).toMatchObject({ signatureKind: 'hmac', signingPublicKey: null });
    const { body } = await ask('GET', '/CompanyWebhooks/query?search={"filter":[{"op":"exist","field":"id"}]}');
    expect(body).toMatchObject({
      items: [
        { signatureKind: 'hmac', signingPublicKey: null, signingKeysUrl: null },
        { signatureKind: 'ed25519', signingPublicKey: before.signingPublicKey },
      ],
    });
    await patch({ signatureKind: 'ed25519' });
    expect(await keys()).toEqual([before]);
  });

  it.each(['rsa', '', 'hmac+ed25519', 5, null, ['both']])('is not %j', async (signatureKind) => {
    await create();
    const { status, body } = await patch({ signatureKind });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('signatureKind must');
  });

  it('cannot be given another public key or address', async () => {
    await create({ signatureKind: 'both', signingPublicKey: 'whpk_mine', signingKeysUrl: 'https://evil.example' });
    await patch({ signingPublicKey: 'whpk_mine', signingKeysUrl: 'https://evil.example' });
    const { signingPublicKey, signingKeysUrl } = await current();
    expect(await read()).toMatchObject({ signingPublicKey, signingKeysUrl });
  });
});

describe('GET /.well-known/webhook-keys/{id}', () => {
  it('shows the public keys as a JWKS to anyone, and to caches', async () => {
    await create({ signatureKind: 'ed25519' });
    const { kid, signingPublicKey, signingKeysUrl } = await current();
    const response = await jwks(signingKeysUrl);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    expect(response.headers.get('content-type')).toBe('application/jwk-set+json');
    const x = Buffer.from(signingPublicKey.slice('whpk_'.length), 'base64').toString('base64url');
    const jwk = { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA', kid, x };
    expect(response.body).toEqual({ keys: [jwk] });
    expect(await calculateJwkThumbprint(jwk as JWK)).toBe(kid);
    expect((await jwks(signingKeysUrl, 'HEAD')).status).toBe(200);
    expect((await jwks(signingKeysUrl, 'POST')).status).toBe(405);
    await rotate({ kid, overlapHours: 1 });
    expect((await jwks(signingKeysUrl)).body).toMatchObject({ keys: [{ kid: (await current()).kid }, { kid }] });
  });

  it.each(['1', 'x', '%00', '..%2f..%2fwebhooks', '01971f2e-6c00-7000-8000-00000000000z', '%27 OR 1=1'])(
    'knows no keys %s, nor any of a tenant, a webhook or a random id',
    async (id) => {
      await create({ signatureKind: 'ed25519' });
      const { webhookGUID } = await read();
      for (const other of [id, String(tenant.id), String(webhookGUID), '01971f2e-6c00-7000-8000-000000000001']) {
        const response = await call(`${api.url}/.well-known/webhook-keys/${other}`, 'GET', {});
        expect([other, response.status]).toEqual([other, 404]);
        expect(response.headers.get('cache-control')).toBe('no-store');
      }
    },
  );

  it('refuses an address that asks too often', async () => {
    const guess = () => call(`${api.url}/.well-known/webhook-keys/01971f2e-6c00-7000-8000-000000000001`, 'GET', {});
    let status = 0;
    for (let nth = 0; nth < 100 && status !== 429; nth += 1) ({ status } = await guess());
    expect(status).toBe(429);
  });
});

describe('POST /WebhookKeys/rotate', () => {
  it('replaces the key pair, keeps the old one for the overlap, and does so once for a repeated request', async () => {
    await create({ signatureKind: 'both' });
    const before = await current();
    const { status, body } = await rotate({ kid: before.kid, overlapHours: 24 });
    expect(status).toBe(200);
    const after = await keys();
    expect(body).toMatchObject({ items: after });
    expect(after).toMatchObject([
      { state: 'current', endDateTime: null, signingKeysUrl: before.signingKeysUrl },
      { state: 'previous', kid: before.kid, endDateTime: expect.stringMatching(/Z$/u) },
    ]);
    expect(after[0]?.kid).not.toBe(before.kid);
    expect(await read()).toMatchObject({ signingPublicKey: after[0]?.signingPublicKey });
    await rotate({ kid: before.kid, overlapHours: 0 });
    expect((await keys()).map(({ kid }) => kid)).toEqual([after[0]?.kid]);
    expect(await rotate({ kid: before.kid, overlapHours: 1 })).toMatchObject({ status: 409 });
  });

  it('warns of receivers that keep the keys when no overlap is left for them', async () => {
    await create({ signatureKind: 'both' });
    const { kid } = await current();
    const overlapping = await rotate({ kid, overlapHours: 1 });
    expect(overlapping.body).not.toHaveProperty('warnings');
    const warnings = [expect.stringMatching(/^the new key alone signs now: .* up to 5 minutes old, refuse callouts /u)];
    expect((await rotate({ kid, overlapHours: 0 })).body).toMatchObject({ warnings });
    const second = await current();
    expect((await rotate({ kid: second.kid, overlapHours: 0 })).body).toMatchObject({ warnings });
    const third = await current();
    await rotate({ kid: third.kid, overlapHours: 24 });
    await api.database.pool.query(
      "UPDATE signing_keys SET created_at = created_at - interval '5 minutes' WHERE tenant_id = $1",
      [tenant.id],
    );
    expect((await rotate({ kid: third.kid, overlapHours: 0 })).body).not.toHaveProperty('warnings');
  });

  it.each([
    [{}, ['kid', 'overlapHours']],
    [{ kid: 'x' }, ['overlapHours']],
    [{ kid: 5, overlapHours: 169 }, ['overlapHours']],
    [{ kid: 'x'.repeat(65), overlapHours: 1.5 }, ['kid', 'overlapHours']],
    [{ kid: ['x'], overlapHours: -1 }, ['kid', 'overlapHours']],
  ])('refuses %j, and says what is wrong', async (body, fields) => {
    await create({ signatureKind: 'both' });
    const response = await rotate(body);
    expect(response.status).toBe(400);
    const { details } = response.body as { details: { field: string }[] };
    expect(details.map(({ field }) => field).toSorted()).toEqual(fields);
    expect(await keys()).toHaveLength(1);
  });

  it('is for admins, and changes no key of another tenant', async () => {
    await create({ signatureKind: 'both' });
    const before = await current();
    for (const as of [tenant.integrator, tenant.source]) {
      expect(await rotate({ kid: before.kid, overlapHours: 0 }, as)).toMatchObject({ status: 403 });
    }
    const other = await makeTenant(api.database);
    expect(await rotate({ kid: before.kid, overlapHours: 0 }, other.admin)).toMatchObject({ status: 409 });
    expect((await ask('GET', '/WebhookKeys', undefined, other.admin)).body).toMatchObject({ items: [] });
    expect(await keys()).toEqual([before]);
  });
});
