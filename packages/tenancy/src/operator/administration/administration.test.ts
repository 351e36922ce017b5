import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { isImportedSecret } from '@callout/domain/secrets/imported-secret';
import { createDisposableDatabase } from '@callout/local/test-run';
import { createCredentialStore } from '../../credentials.ts';
import { insertWebhook } from '@callout/database/fixtures/tenant';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { createAdministration, type Administration } from './administration.ts';

const database = useDatabase(createDisposableDatabase);
let admin: Administration;

beforeAll(() => {
  admin = createAdministration(database);
});

const aTenant = () => admin.tenants.create({ name: randomUUID() });
const all = { after: 0, limit: 500 };
const email = 'a@example.com';

async function aCredential() {
  const { id: tenantId } = await aTenant();
  const { id: resourceID } = await admin.resources.create(tenantId, { email });
  const body = { resourceID, userName: `CRM-${randomUUID()}@example.com`, role: 'integrator' };
  return { tenantId, body, issued: await admin.credentials.create(tenantId, body) };
}

async function isKnown(userName: string): Promise<boolean> {
  const signIn = { foldedUserName: userName.toLowerCase(), address: '192.0.2.1' };
  const found = await createCredentialStore(database).findForAuthentication([signIn]);
  return found.get(signIn)?.credential !== undefined;
}

describe('zones', () => {
  it('are made, changed and listed; one of them at most is the default', async () => {
    const names: string[] = [randomUUID(), randomUUID()];
    const made = await Promise.all(
      names.map((name) => admin.zones.create({ name, url: 'https://eu.example.com/', isDefault: true })),
    );
    const mine = (await admin.zones.list(all)).filter(({ name }) => names.includes(name));
    expect(mine.map(({ id }) => id)).toEqual(made.map(({ id }) => id).toSorted((one, other) => one - other));
    expect(mine.filter(({ isDefault }) => isDefault)).toHaveLength(1);
    const [other] = mine.filter(({ isDefault }) => !isDefault);
    const updated = await admin.zones.update(other?.id ?? 0, { isDefault: 'true', url: 'https://us.example.com' });
    expect(updated).toEqual({ ...other, isDefault: true, url: 'https://us.example.com' });
    expect((await admin.zones.list(all)).filter(({ isDefault }) => isDefault)).toEqual([updated]);
  });

  it('refuse a name that is used, an invalid id, and to be without a default', async () => {
    const zone = await admin.zones.create({ name: randomUUID(), url: '', isDefault: true });
    await expect(admin.zones.create({ name: zone.name, url: '' })).rejects.toMatchObject({ kind: 'conflict' });
    await expect(admin.zones.update(999_999, { name: 'x' })).rejects.toMatchObject({ kind: 'notFound' });
    await expect(admin.zones.update(zone.id, { isDefault: false })).rejects.toMatchObject({ kind: 'conflict' });
  });
});

describe('tenants', () => {
  it('are made and changed with their limits, and listed page by page', async () => {
    const zone = await admin.zones.create({ name: randomUUID(), url: '' });
    const body = { name: randomUUID(), zoneID: zone.id, calloutThreshold: 5, apiRequestsPerHour: '0' };
    const tenant = await admin.tenants.create(body);
    expect(tenant).toEqual({
      ...body,
      id: expect.any(Number),
      apiRequestsPerHour: 0,
      createDateTime: expect.any(Date),
      deletingDateTime: null,
    });
    const changed = await admin.tenants.update(tenant.id, {
      calloutThreshold: null,
      apiRequestsPerHour: 7,
    });
    expect(changed).toEqual({ ...tenant, calloutThreshold: null, apiRequestsPerHour: 7 });
    const next = await aTenant();
    expect(await admin.tenants.list({ after: tenant.id - 1, limit: 1 })).toEqual([changed]);
    expect(await admin.tenants.list({ after: tenant.id, limit: 500 })).toEqual([next]);
  });

  it('refuse a name that is used, an unknown zone, and an invalid id', async () => {
    const [one, other] = [await aTenant(), await aTenant()];
    await expect(admin.tenants.create({ name: one.name })).rejects.toMatchObject({ kind: 'conflict' });
    await expect(admin.tenants.update(one.id, { name: other.name })).rejects.toMatchObject({ kind: 'conflict' });
    const zoneID = 999_999;
    await expect(admin.tenants.create({ name: randomUUID(), zoneID })).rejects.toMatchObject({ kind: 'invalid' });
    await expect(admin.tenants.update(one.id, { zoneID })).rejects.toMatchObject({ kind: 'invalid' });
    await expect(admin.tenants.update(999_999, { name: 'x' })).rejects.toMatchObject({ kind: 'notFound' });
  });
});

describe('resources', () => {
  it('are numbered per tenant and get and lose the right to create webhooks', async () => {
    const { id: tenantId } = await aTenant();
    const first = await admin.resources.create(tenantId, { email });
    const second = await admin.resources.create(tenantId, { email, canCreateWebhooks: true });
    expect(first).toEqual({ id: 1, email, isActive: true, canCreateWebhooks: false });
    expect(second).toEqual({ id: 2, email, isActive: true, canCreateWebhooks: true });
    const changes = { canCreateWebhooks: false, email: 'b@example.com' };
    expect(await admin.resources.update(tenantId, 2, changes)).toEqual({ ...second, ...changes });
    expect(await admin.resources.list(tenantId, all)).toEqual([first, { ...second, ...changes }]);
    expect(await admin.resources.list(tenantId, { after: 1, limit: 1 })).toHaveLength(1);
  });

  it('change their right and their values together, or not at all', async () => {
    const { id: tenantId } = await aTenant();
    const resource = await admin.resources.create(tenantId, { email });
    await database.pool.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no deactivation' USING ERRCODE = '55P03'; END $$;
      CREATE TRIGGER refuse BEFORE UPDATE ON resources FOR EACH ROW
        WHEN (old.is_active AND NOT new.is_active) EXECUTE FUNCTION refuse()`);
    const change = admin.resources.update(tenantId, 1, { canCreateWebhooks: true, isActive: false });
    await expect(change).rejects.toThrow('no deactivation');
    await database.pool.query('DROP TRIGGER refuse ON resources');
    expect(await admin.resources.read(tenantId, 1)).toEqual(resource);
  });

  it('deactivate the webhooks that they own with themselves', async () => {
    const { id: tenantId } = await aTenant();
    await admin.resources.create(tenantId, { email });
    const webhookKey = await insertWebhook(database.pool, tenantId, 1);
    const changed = await admin.resources.update(tenantId, 1, { isActive: false });
    expect(changed).toMatchObject({ isActive: false, email });
    const webhook = await database.prisma.webhook.findUnique({ where: { key: webhookKey } });
    expect(webhook?.isActive).toBe(false);
  });

  it('are hidden from other tenants, and need a tenant', async () => {
    const [one, other] = [await aTenant(), await aTenant()];
    await admin.resources.create(one.id, { email });
    const missing = expect.objectContaining({ kind: 'notFound' }) as unknown;
    await expect(admin.resources.update(other.id, 1, { email })).rejects.toEqual(missing);
    await expect(admin.resources.list(999_999, all)).rejects.toEqual(missing);
    await expect(admin.resources.create(999_999, { email })).rejects.toEqual(missing);
  });
});

describe('credentials', () => {
  it('show their secret once, and nothing of it afterwards', async () => {
    const { tenantId, body, issued } = await aCredential();
    expect(issued).toMatchObject({ ...body, secret: expect.stringMatching(/^[\w-]{43}$/), revokeDateTime: null });
    const listed = await admin.credentials.list(tenantId, all);
    const { secret, apiIntegrationCode, ...item } = issued;
    expect(listed).toEqual([item]);
    expect(JSON.stringify(await database.prisma.credential.findMany({ where: { tenantId } }))).not.toContain(secret);
    expect(await admin.credentials.readByUserName(body.userName.toUpperCase())).toEqual({
      ...item,
      tenantID: tenantId,
    });
    expect(apiIntegrationCode).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('may keep a secret and a code that were chosen elsewhere, which are shown nowhere', async () => {
    const { tenantId, body } = await aCredential();
    const given = { ...body, userName: randomUUID(), secret: 'their old secret', apiIntegrationCode: 'THEIR-CODE' };
    const made = await admin.credentials.create(tenantId, given);
    expect(made).toEqual({
      ...{ id: expect.any(Number), resourceID: 1, userName: given.userName, role: 'integrator' },
      ...{ isSecretImported: true, createDateTime: expect.any(Date), revokeDateTime: null },
    });
    const row = await database.prisma.credential.findUniqueOrThrow({ where: { id: made.id } });
    expect(row).toMatchObject({
      apiIntegrationCode: 'THEIR-CODE',
      secretScrypt: expect.stringMatching(/^ln=15,r=8,p=3/),
    });
    expect(JSON.stringify(row)).not.toContain(given.secret);
    await expect(
      isImportedSecret(given.secret, { hash: row.secretHash, scrypt: row.secretScrypt ?? '' }),
    ).resolves.toBe(true);

    const again = await admin.credentials.reissue(tenantId, made.id);
    expect(again).toMatchObject({ isSecretImported: false, secret: expect.stringMatching(/^[\w-]{43}$/) });
    expect(await database.prisma.credential.findUnique({ where: { id: made.id } })).toMatchObject({
      secretScrypt: null,
    });
  });

  it('get generated whichever of secret and code was not given, and two with one secret are stored unalike', async () => {
    const { tenantId, body } = await aCredential();
    const make = (change: object) => admin.credentials.create(tenantId, { ...body, userName: randomUUID(), ...change });
    const withSecret = await make({ secret: 'their old secret' });
    expect(withSecret).toMatchObject({ apiIntegrationCode: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(withSecret).not.toHaveProperty('secret');
    const withCode = await make({ apiIntegrationCode: 'THEIR-CODE' });
    expect(withCode).toMatchObject({ isSecretImported: false, secret: expect.stringMatching(/^[\w-]{43}$/) });
    expect(withCode).not.toHaveProperty('apiIntegrationCode');
    const other = await make({ secret: 'their old secret' });
    const rows = await database.prisma.credential.findMany({ where: { id: { in: [withSecret.id, other.id] } } });
    expect(new Set(rows.map(({ secretHash }) => Buffer.from(secretHash).toString('hex'))).size).toBe(2);
  });

  it('change their role, which other tenants cannot', async () => {
    const { tenantId, issued } = await aCredential();
    const changed = await admin.credentials.update(tenantId, issued.id, { role: 'admin' });
    expect(changed).toMatchObject({ id: issued.id, role: 'admin', revokeDateTime: null });
    await expect(admin.credentials.update(tenantId, issued.id, { role: 'emperor' })).rejects.toMatchObject({
      kind: 'invalid',
    });
    const { id: other } = await aTenant();
    await expect(admin.credentials.update(other, issued.id, { role: 'source' })).rejects.toMatchObject({
      kind: 'notFound',
    });
    expect(await admin.credentials.read(tenantId, issued.id)).toEqual(changed);
  });

  it('have a unique user name in the whole installation, in any case', async () => {
    const { body } = await aCredential();
    const { id: tenantId } = await aTenant();
    await admin.resources.create(tenantId, { email });
    const again = { ...body, userName: body.userName.toUpperCase() };
    await expect(admin.credentials.create(tenantId, again)).rejects.toMatchObject({ kind: 'conflict' });
  });

  it('belong to a resource of their tenant', async () => {
    const { tenantId, body, issued } = await aCredential();
    const { id: other } = await aTenant();
    await expect(admin.credentials.create(other, body)).rejects.toMatchObject({ kind: 'invalid' });
    await expect(admin.credentials.revoke(other, issued.id)).rejects.toMatchObject({ kind: 'notFound' });
    await expect(admin.credentials.reissue(other, issued.id)).rejects.toMatchObject({ kind: 'notFound' });
    expect(await isKnown(issued.userName)).toBe(true);
    await database.prisma.resource.update({
      where: { tenantId_id: { tenantId, id: body.resourceID } },
      data: { deletedAt: new Date() },
    });
    const late = { ...body, userName: randomUUID() };
    await expect(admin.credentials.create(tenantId, late)).rejects.toMatchObject({ kind: 'invalid' });
  });
});
