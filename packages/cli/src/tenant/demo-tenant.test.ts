import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '@callout/database/connection/database';
import { createTenantStore } from '@callout/tenancy/tenants';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local/test-run';
import { createTestDatabase } from '@callout/testing';
import type { CredentialsFile, KnownTenant } from './credentials-file.ts';
import { provideDemoTenant } from './demo-tenant.ts';

let disposable: DisposableDatabase;
let database: Database;
let file: CredentialsFile & { content?: KnownTenant | undefined };

beforeEach(async () => {
  disposable = await createTestDatabase();
  database = openDatabase({ url: disposable.url, poolSize: 2, applicationName: 'test', onError: () => undefined });
  file = { read: async () => file.content, write: async (known) => void (file.content = known) };
});

afterEach(async () => {
  await database.close();
  await disposable.drop();
});

const provide = (isOurs: boolean) => provideDemoTenant({ databaseUrl: disposable.url, isOurs, file });
const tenantCount = () => createTenantStore(database).count();

describe('in a database of our own', () => {
  it('there is one demo tenant, whose credentials stay the same', async () => {
    const first = await provide(true);
    expect(first.credentials.source).toEqual({
      userName: 'source@demo',
      secret: expect.stringMatching(/^[\w-]{43}$/),
      apiIntegrationCode: expect.stringMatching(/^[\w-]{36}$/),
    });
    expect(await provide(true)).toEqual(first);
    expect(await tenantCount()).toBe(1);
  });

  it.each([
    ['are missing', async () => void (file.content = undefined)],
    [
      'were not issued any more before a crash',
      async () => void delete (file.content as { credentials?: unknown }).credentials,
    ],
    ['do not work any more', () => database.prisma.credential.updateMany({ data: { revokedAt: new Date() } })],
  ])('they are issued again when they %s', async (_when, happens) => {
    const first = await provide(true);
    await happens();
    const second = await provide(true);
    expect(second.credentials.admin.secret).not.toBe(first.credentials.admin.secret);
    expect(await provide(true)).toEqual(second);
    expect([await tenantCount(), await database.prisma.credential.count()]).toEqual([1, 3]);
  });
});

describe('in a database of the user', () => {
  it('without tenants, a demo tenant is made and found again', async () => {
    const first = await provide(false);
    expect(first.credentials.admin.userName).toMatch(/^admin@demo-[0-9a-f]{16}$/);
    expect(await provide(false)).toEqual(first);
    expect(await tenantCount()).toBe(1);
  });

  it('with tenants of the user, nothing is touched', async () => {
    await createTenantStore(database).create({ name: 'demo' });
    await expect(provide(false)).rejects.toThrow(/has a tenant that was not made from this data directory/);
    expect(await tenantCount()).toBe(1);
    expect(file.content).toBeUndefined();
    await createTenantStore(database).create({ name: 'another' });
    await expect(provide(false)).rejects.toThrow(/has 2 tenants that were not made from this data directory/);
  });

  it('whose demo tenant is gone and others are there, nothing is touched', async () => {
    await provide(false);
    const { prisma } = database;
    await prisma.tenant.updateMany({ data: { name: 'renamed by the user' } });
    await expect(provide(false)).rejects.toThrow('only in a database without tenants');
  });

  it('that belongs to another program, nothing is touched', async () => {
    const other = await createDisposableDatabase({
      name: 'foreign',
      prepare: async (url) => {
        const opened = openDatabase({ url, poolSize: 2, applicationName: 'test', onError: () => undefined });
        await opened.pool.query('CREATE TABLE invoices (id int)');
        await opened.close();
      },
    });
    const provided = provideDemoTenant({ databaseUrl: other.url, isOurs: false, file });
    await expect(provided).rejects.toThrow('holds tables of another program (invoices)');
    // Nor is it migrated: it still has tables of another program only.
    const again = provideDemoTenant({ databaseUrl: other.url, isOurs: false, file });
    await expect(again).rejects.toThrow('holds tables of another program (invoices)');
    await other.drop();
  });

  it('that cannot be reached, it says which and why, without the password', async () => {
    const databaseUrl = 'postgresql://me:secret-word@127.0.0.1:1/db';
    const failed = provideDemoTenant({ databaseUrl, isOurs: false, file });
    await expect(failed).rejects.toThrow(/^DATABASE_URL: cannot use 127\.0\.0\.1:1\/db: connect ECONNREFUSED/);
    await expect(failed).rejects.not.toThrow('secret-word');
  });
});
