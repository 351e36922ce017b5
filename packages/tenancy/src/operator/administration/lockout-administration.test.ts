import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { countAuthenticationFailures } from '../../authentication-failures.ts';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { createAdministration, type Administration } from './administration.ts';

const database = useDatabase(createDisposableDatabase);
let admin: Administration;

beforeAll(() => {
  admin = createAdministration(database);
});

/** A new tenant with a credential. */
async function aCredential() {
  const { id: tenantID, name: tenantName } = await admin.tenants.create({ name: randomUUID() });
  const { id: resourceID } = await admin.resources.create(tenantID, { email: 'a@example.com' });
  const body = { resourceID, userName: `CRM-${randomUUID()}@example.com`, role: 'integrator' };
  return { userName: (await admin.credentials.create(tenantID, body)).userName, tenantID, tenantName };
}

const aUserName = async (): Promise<string> => (await aCredential()).userName;

const all = { after: null, limit: 500 };

describe('lockouts', () => {
  const address = '192.0.2.77';
  const fail = async (userName: string, from: string, times = 10) => {
    const signIn = { foldedUserName: userName.toLowerCase(), address: from };
    await countAuthenticationFailures(database.pool, Array(times).fill(signIn));
  };
  const lockedFrom = async (userName: string) => {
    const found = (await admin.lockouts.list(all)).filter((one) => one.userName === userName);
    return found.map((one) => one.address).toSorted();
  };

  it('are listed by the name of a credential and its tenant, and without names that do not exist', async () => {
    const { userName, ...tenant } = await aCredential();
    const typed = `typed-${randomUUID()}`;
    await fail(userName, address);
    await fail(userName, '192.0.2.78', 9);
    await fail(typed, '192.0.2.79');
    const listed = await admin.lockouts.list(all);
    expect(listed).toContainEqual({ userName, ...tenant, address, endDateTime: expect.any(Date) });
    expect(listed).toContainEqual({
      userName: null,
      tenantID: null,
      tenantName: null,
      address: '192.0.2.79',
      endDateTime: expect.any(Date),
    });
    expect(listed.map((one) => one.address)).not.toContain('192.0.2.78');
    expect(JSON.stringify(listed)).not.toContain(typed);
  });

  it('are listed page by page, and what ends together on one page', async () => {
    const ends = ['2099-01-01T00:00:03.001Z', '2099-01-01T00:00:02.002Z', '2099-01-01T00:00:01.003Z'];
    for (const [nth, end] of [...ends, ...ends].entries()) {
      // With the precision of the database's clock, which is finer than that of a response.
      const endsAt = end.replace('Z', `00${nth}Z`);
      await database.pool.query(
        `INSERT INTO sign_in_failures (user_name_hash, address, failed_at, is_locked, expires_at)
         VALUES (sha256($1::text::bytea), '192.0.2.81', ARRAY[now()], TRUE, $2)`,
        [randomUUID(), endsAt],
      );
    }
    const pageAfter = async (after: Date | null) => {
      const page = await admin.lockouts.list({ after, limit: 1 });
      return page.map(({ endDateTime }) => endDateTime.toISOString());
    };
    const [first = '', second = '', third = ''] = ends;
    expect(await pageAfter(null)).toEqual([first, first]);
    expect(await pageAfter(new Date(first))).toEqual([second, second]);
    expect(await pageAfter(new Date(second))).toEqual([third, third]);
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
    await expect(admin.lockouts.lift(userName, 'here')).rejects.toMatchObject({ kind: 'invalid' });
  });
});
