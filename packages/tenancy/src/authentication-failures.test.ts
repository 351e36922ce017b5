import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { createCredentialStore, type FoundCredential } from './credentials.ts';
import { countAuthenticationFailures, type AuthenticationAttempt } from './authentication-failures.ts';
import { createTenantStore } from './tenants.ts';
import { useDatabase } from '@callout/database/fixtures/own-database';

const database = useDatabase(createDisposableDatabase);

const aSignIn = (change: Partial<AuthenticationAttempt> = {}): AuthenticationAttempt => ({
  foldedUserName: `${randomUUID()}@example.com`,
  address: '192.0.2.1',
  ...change,
});
const count = (...failures: AuthenticationAttempt[]) => countAuthenticationFailures(database.pool, failures);
const times = (signIn: AuthenticationAttempt, n: number) => Array.from({ length: n }, () => signIn);

async function find(signIn: AuthenticationAttempt): Promise<FoundCredential> {
  const found = (await createCredentialStore(database).findForAuthentication([signIn])).get(signIn);
  if (found === undefined) throw new Error('no answer');
  return found;
}

/** Lets time pass for everything that is counted of one address. */
async function pass(address: string, minutes: number): Promise<void> {
  await database.pool.query(
    `UPDATE sign_in_failures SET expires_at = expires_at - $2 * interval '1 minute',
       failed_at = array(SELECT at - $2 * interval '1 minute' FROM unnest(failed_at) AS at)
     WHERE address = $1`,
    [address, minutes],
  );
}

describe('ten failures within 15 minutes', () => {
  it('lock a user name from one address out for 15 minutes, and it from no other', async () => {
    const signIn = aSignIn();
    for (let failure = 1; failure <= 9; failure += 1) await count(signIn);
    expect(await find(signIn)).toEqual({ lockedForS: 0, credential: undefined });
    expect(await count(signIn)).toEqual({ wasLockedOut: [false], newlyLockedOut: [signIn] });
    const { lockedForS } = await find(signIn);
    expect(lockedForS).toBeGreaterThan(600);
    expect(lockedForS).toBeLessThanOrEqual(900);
    expect(await find({ ...signIn, address: '192.0.2.2' })).toMatchObject({ lockedForS: 0 });
    expect(await find(aSignIn())).toMatchObject({ lockedForS: 0 });
  });

  it('are counted exactly when they come at the same time, from many connections', async () => {
    const nine = aSignIn();
    await Promise.all(times(nine, 9).map((one) => count(one)));
    expect(await find(nine)).toMatchObject({ lockedForS: 0 });
    const many = aSignIn();
    const answers = await Promise.all(times(many, 30).map((one) => count(one)));
    expect(answers.filter(({ wasLockedOut: [was] }) => was === false)).toHaveLength(10);
    expect(answers.flatMap(({ newlyLockedOut }) => newlyLockedOut)).toEqual([many]);
  });

  it('are counted exactly when they come in one batch, among others', async () => {
    const [one, other] = [aSignIn(), aSignIn()];
    await count(...times(one, 4));
    const { wasLockedOut, newlyLockedOut } = await count(other, ...times(one, 8), other);
    expect(wasLockedOut).toEqual([false, ...Array(6).fill(false), true, true, false]);
    expect(newlyLockedOut).toEqual([one]);
    expect(await find(other)).toMatchObject({ lockedForS: 0 });
    const hundreds = aSignIn();
    expect((await count(...times(hundreds, 300))).wasLockedOut.filter((was) => !was)).toHaveLength(10);
  });

  it('are any 15 minutes, not those of a clock', async () => {
    const signIn = aSignIn({ address: '192.0.2.15' });
    await count(...times(signIn, 5));
    await pass(signIn.address, 10);
    await count(...times(signIn, 4));
    await pass(signIn.address, 6); // the first five are 16 minutes old now
    await count(...times(signIn, 5));
    expect(await find(signIn)).toMatchObject({ lockedForS: 0 });
    await count(signIn);
    expect((await find(signIn)).lockedForS).toBeGreaterThan(0);
  });

  it('lock for 15 minutes and no longer, for any attempts meanwhile; then counting starts over', async () => {
    const signIn = aSignIn({ address: '192.0.2.16' });
    await count(...times(signIn, 10));
    await pass(signIn.address, 14);
    expect((await count(...times(signIn, 20))).wasLockedOut).not.toContain(false);
    expect((await find(signIn)).lockedForS).toBeLessThanOrEqual(60);
    await pass(signIn.address, 1);
    expect(await find(signIn)).toMatchObject({ lockedForS: 0 });
    await count(...times(signIn, 9));
    expect(await find(signIn)).toMatchObject({ lockedForS: 0 });
  });
});

describe('what is stored of failures', () => {
  it('is removed by later ones when it no longer counts', async () => {
    const address = '192.0.2.17';
    await count(...Array.from({ length: 50 }, () => aSignIn({ address })));
    await pass(address, 15);
    await count(aSignIn({ address }));
    const { rows } = await database.pool.query('SELECT 1 FROM sign_in_failures WHERE address = $1', [address]);
    expect(rows).toHaveLength(1);
  });

  it('never holds the name itself, however long', async () => {
    const foldedUserName = 'x'.repeat(16_000);
    await count(...times(aSignIn({ foldedUserName }), 10));
    expect((await find(aSignIn({ foldedUserName }))).lockedForS).toBeGreaterThan(0);
    const { rows } = await database.pool.query<{ text: string }>('SELECT f::text AS text FROM sign_in_failures f');
    for (const { text } of rows) expect(text).not.toMatch(/example\.com|xxx/);
  });
});

describe('findForAuthentication', () => {
  it('returns to each of many authentications its own result', async () => {
    const tenants = createTenantStore(database);
    const tenantId = await tenants.create({ name: randomUUID(), apiRequestsPerHour: 5 });
    const resourceId = await tenants.createResource({ tenantId, email: 'a@example.com', canCreateWebhooks: true });
    const { userName } = await tenants.createCredential({
      tenantId,
      resourceId,
      userName: randomUUID(),
      role: 'admin',
    });
    const known = aSignIn({ foldedUserName: userName });
    const elsewhere = { ...known, address: '192.0.2.9' };
    const unknown = aSignIn();
    await count(...times(known, 10));
    const found = await createCredentialStore(database).findForAuthentication([unknown, known, elsewhere]);
    const credential = { tenantId, resourceId, role: 'admin', apiRequestsPerHour: 5, isResourceActive: true };
    expect([...found]).toEqual([
      [unknown, { lockedForS: 0, credential: undefined, otherZone: undefined }],
      [
        known,
        { lockedForS: expect.any(Number), credential: expect.objectContaining(credential), otherZone: undefined },
      ],
      [elsewhere, { lockedForS: 0, credential: expect.objectContaining(credential), otherZone: undefined }],
    ]);
    expect(found.get(known)?.lockedForS).toBeGreaterThan(0);
  });
});
