import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local';
import { openDatabase, type Database } from '../database.ts';
import { applyMigrations } from '../migrations.ts';
import { countSignInFailures } from '../sign-in-failures.ts';
import { createAdministration, type Administration } from './administration.ts';

let disposable: DisposableDatabase;
let database: Database;
let admin: Administration;

beforeAll(async () => {
  disposable = await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) });
  database = openDatabase({ url: disposable.url, poolSize: 5, applicationName: 'test', onError: () => undefined });
  admin = createAdministration(database);
});
afterAll(async () => {
  await database.close();
  await disposable.drop();
});

/** The user name of a new credential. */
async function aUserName(): Promise<string> {
  const { id: tenantId } = await admin.tenants.create({ name: randomUUID() });
  const { id: resourceID } = await admin.resources.create(tenantId, { email: 'a@example.com' });
  const body = { resourceID, userName: `CRM-${randomUUID()}@example.com`, role: 'integrator' };
  return (await admin.credentials.create(tenantId, body)).userName;
}

describe('lockouts', () => {
  const address = '192.0.2.77';
  const fail = async (userName: string, from: string, times = 10) => {
    const signIn = { foldedUserName: userName.toLowerCase(), address: from };
    await countSignInFailures(database.pool, Array(times).fill(signIn));
  };
  const lockedFrom = async (userName: string) => {
    const found = (await admin.lockouts.list(500)).filter((one) => one.userName === userName);
    return found.map((one) => one.address).toSorted();
  };

  it('are listed by the name of a credential, and without a name that nobody has', async () => {
    const userName = await aUserName();
    const typed = `typed-${randomUUID()}`;
    await fail(userName, address);
    await fail(userName, '192.0.2.78', 9);
    await fail(typed, '192.0.2.79');
    const listed = await admin.lockouts.list(500);
    expect(listed).toContainEqual({ userName, address, endDateTime: expect.any(Date) });
    expect(listed).toContainEqual({ userName: null, address: '192.0.2.79', endDateTime: expect.any(Date) });
    expect(listed.map((one) => one.address)).not.toContain('192.0.2.78');
    expect(JSON.stringify(listed)).not.toContain(typed);
    expect(await admin.lockouts.list(1)).toHaveLength(1);
  });

  it('are lifted from one address or from all, with the failures that had not locked yet', async () => {
    const userName = await aUserName();
    for (const from of [address, '2001:db8:1:2::/64', '192.0.2.80']) await fail(userName, from);
    expect(await admin.lockouts.lift(userName.toUpperCase(), '2001:db8:1:2::9')).toBe(1);
    expect(await lockedFrom(userName)).toEqual([address, '192.0.2.80'].toSorted());
    expect(await admin.lockouts.lift(userName)).toBe(2);
    expect(await lockedFrom(userName)).toEqual([]);
    await fail(userName, address, 9);
    expect(await admin.lockouts.lift(userName)).toBe(0);
    await fail(userName, address, 9);
    expect(await lockedFrom(userName)).toEqual([]);
    await expect(admin.lockouts.lift(userName, 'here')).rejects.toMatchObject({ status: 400 });
  });
});
