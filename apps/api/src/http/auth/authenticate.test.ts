import { describe, expect, it } from '@jest/globals';
import { hash, randomBytes } from 'node:crypto';
import { createCheckSecret } from './check-secret.ts';
import { createAuthenticate, createFindPerson } from './authenticate.ts';
import type { AuthenticationCache } from './authentication-cache.ts';
import { createCheckCredential, type CheckCredentialDeps, type StoredCredential } from './check-credential.ts';

const stored: StoredCredential = {
  credentialId: 5,
  tenantId: 1,
  resourceId: 2,
  apiIntegrationCode: 'code',
  secretHash: hash('sha256', 'secret', 'buffer'),
  secretScrypt: null,
  role: 'source',
  isResourceActive: true,
  canCreateWebhooks: false,
  apiRequestsPerHour: 50,
  tenantState: 'active',
  version: '1 2 3',
};
const moved = new Set(['gone@example.com']);
const headers = { username: 'Me@Example.com', secret: 'secret', apiintegrationcode: 'code' };
const HERE = '192.0.2.1';
const LOCKED_OUT_HERE = '192.0.2.66';

function authenticateWith(change: Partial<StoredCredential> = {}, alreadyLockedForS = 0) {
  const failures: unknown[] = [];
  const kept: unknown[] = [];
  const deps = {
    checkSecret: createCheckSecret({ nowMs: () => 0, cacheKey: randomBytes(32) }),
    findCredential: ({ foldedUserName, address }) =>
      Promise.resolve({
        lockedForS: address === LOCKED_OUT_HERE ? 61 : 0,
        credential: foldedUserName === 'me@example.com' ? { ...stored, ...change } : undefined,
        otherZone: moved.has(foldedUserName) ? { name: 'eu', url: 'https://eu.example' } : undefined,
      }),
    countFailure(authentication) {
      failures.push(authentication);
      return Promise.resolve(alreadyLockedForS);
    },
  } satisfies CheckCredentialDeps;
  const authenticate = authenticateBy(
    deps,
    (_headers, address, authentication) => void kept.push({ address, ...authentication }),
  );
  return { authenticate, deps, failures, kept };
}

function authenticateBy(deps: CheckCredentialDeps, authenticationCache: AuthenticationCache['keep'] = () => undefined) {
  const isActiveResource = (tenantId: number, id: number) => Promise.resolve(tenantId === 1 && id === 7);
  const findPerson = createFindPerson({ isActiveResource });
  return createAuthenticate({ checkCredential: createCheckCredential(deps), findPerson, authenticationCache });
}

/** The same functions, and the names of the called ones, in order. */
function traced<Deps extends Record<string, (...given: never[]) => unknown>>(deps: Deps) {
  const calls: string[] = [];
  const noting = Object.entries(deps).map(([name, run]) => [
    name,
    (...given: never[]) => {
      calls.push(name);
      return run(...given);
    },
  ]);
  return { deps: Object.fromEntries(noting) as Deps, calls };
}

describe('createAuthenticate', () => {
  it('returns the caller and its rights', async () => {
    const { authenticate, failures } = authenticateWith();
    await expect(authenticate(headers, HERE)).resolves.toEqual({
      credentialId: 5,
      tenantId: 1,
      resourceId: 2,
      personId: 2,
      role: 'source',
      canCreateWebhooks: false,
      apiRequestsPerHour: 50,
      proof: { foldedUserName: 'me@example.com', address: HERE, version: '1 2 3' },
    });
    expect(failures).toEqual([]);
  });

  it('is remembered with what it was found by, and only when it came in', async () => {
    const { authenticate, kept } = authenticateWith();
    await expect(authenticate({ ...headers, secret: 'x' }, HERE)).rejects.toMatchObject({ kind: 'unauthorized' });
    expect(kept).toEqual([]);
    const caller = await authenticate(headers, HERE);
    const proof = { foldedUserName: 'me@example.com', address: HERE, version: '1 2 3' };
    expect(kept).toEqual([{ address: HERE, caller, proof }]);
  });

  it('lets another resource act, while ownership and rights stay', async () => {
    const impersonating = authenticateWith().authenticate({ ...headers, impersonationresourceid: '7' }, HERE);
    await expect(impersonating).resolves.toMatchObject({ resourceId: 2, personId: 7, role: 'source' });
  });

  it.each([
    ['username', 'UserName'],
    ['secret', 'Secret'],
    ['apiintegrationcode', 'ApiIntegrationCode'],
  ])('needs the header %s, and counts no failure', async (name, shown) => {
    const { authenticate, failures } = authenticateWith();
    await expect(authenticate({ ...headers, [name]: ' ' }, HERE)).rejects.toMatchObject({
      kind: 'unauthorized',
      message: `The header ${shown} is missing: every request carries UserName, Secret and ApiIntegrationCode.`,
    });
    expect(failures).toEqual([]);
  });

  it('names every header that is missing, and says that Authorization is not one of them', async () => {
    const { authenticate } = authenticateWith();
    await expect(authenticate({ secret: 'x', authorization: 'Bearer x' }, HERE)).rejects.toThrow(
      'The headers UserName and ApiIntegrationCode are missing: every request carries UserName, Secret and ApiIntegrationCode; the header Authorization is not used.',
    );
  });

  it.each([
    ['an unknown name', { username: 'Nobody@example.com' }],
    ['a wrong secret', { secret: 'x' }],
    ['a wrong code', { apiintegrationcode: 'x' }],
  ])('counts %s as a failure of the name from the address', async (_, change) => {
    const { authenticate, failures } = authenticateWith();
    const given = { ...headers, ...change };
    await expect(authenticate(given, HERE)).rejects.toMatchObject({ kind: 'unauthorized' });
    expect(failures).toEqual([{ foldedUserName: given.username.toLowerCase(), address: HERE }]);
  });

  it('takes the same steps for an unknown name and for a wrong secret, so that the time reveals neither', async () => {
    const stepsOf = async (change: object) => {
      const { deps, calls } = traced(authenticateWith().deps);
      await expect(authenticateBy(deps)({ ...headers, ...change }, HERE)).rejects.toThrow('unknown or wrong');
      return calls;
    };
    const steps = ['findCredential', 'checkSecret', 'countFailure'];
    expect(await stepsOf({ username: 'unknown@example.com' })).toEqual(steps);
    expect(await stepsOf({ secret: 'x' })).toEqual(steps);
    expect(await stepsOf({ apiintegrationcode: 'x' })).toEqual(steps);
  });

  it('reads the message of a SOAP call for its code neither of an unknown name nor with a wrong secret', async () => {
    const stepsOf = async (userName: string, secret: string) => {
      const { deps, calls } = traced(authenticateWith().deps);
      const apiIntegrationCode = () => Promise.resolve(String(calls.push('read the message')));
      await expect(createCheckCredential(deps)({ userName, secret, apiIntegrationCode }, HERE)).rejects.toThrow(
        'unknown or wrong',
      );
      return calls;
    };
    const steps = ['findCredential', 'checkSecret', 'countFailure'];
    expect(await stepsOf('unknown@example.com', 'secret')).toEqual(steps);
    expect(await stepsOf('me@example.com', 'x')).toEqual(steps);
    expect(await stepsOf('me@example.com', 'secret')).toEqual([
      'findCredential',
      'checkSecret',
      'read the message',
      'countFailure',
    ]);
  });

  it('refuses a locked-out name before it looks at the secret, and counts nothing', async () => {
    for (const given of [headers, { ...headers, secret: 'x' }, { ...headers, username: 'nobody' }]) {
      const { authenticate, failures } = authenticateWith();
      await expect(authenticate(given, LOCKED_OUT_HERE)).rejects.toMatchObject({
        kind: 'unauthorized',
        retryAfterS: 61,
        message: expect.stringMatching(/locked out.*also for the right secret.*2 minutes/),
      });
      expect(failures).toEqual([]);
    }
  });

  it('says locked out to a failure that comes after the failures that locked at the same time', async () => {
    const { authenticate } = authenticateWith({}, 900);
    await expect(authenticate({ ...headers, secret: 'x' }, HERE)).rejects.toMatchObject({
      details: [{ code: 'lockedOut', message: expect.stringContaining('15 minutes') }],
    });
  });

  it('finds no user under a secret of all zeros', async () => {
    // The placeholder hash for unknown users must not be a password.
    const { authenticate } = authenticateWith();
    const attempts = ['', '\0', '\0'.repeat(32)].map((secret) =>
      authenticate({ username: 'nobody', secret: `x${secret}`, apiintegrationcode: '' }, HERE),
    );
    for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({ kind: 'unauthorized' });
  });

  it('names the zone of a user whose tenant is elsewhere, for any secret, and counts no failure', async () => {
    const elsewhere = { kind: 'wrongZone', message: expect.stringContaining('the zone eu, at https://eu.example;') };
    const { authenticate, failures } = authenticateWith();
    const gone = { ...headers, username: 'Gone@example.com', secret: 'x' };
    await expect(authenticate(gone, HERE)).rejects.toMatchObject(elsewhere);
    moved.add('me@example.com');
    await expect(authenticateWith({ tenantState: 'left' }).authenticate(headers, HERE)).rejects.toMatchObject(
      elsewhere,
    );
    moved.delete('me@example.com');
    expect(failures).toEqual([]);
  });

  it('says that a tenant is being moved, and refuses authentications to one that has not arrived', async () => {
    const moving = authenticateWith({ tenantState: 'moving' }).authenticate(headers, HERE);
    await expect(moving).resolves.toMatchObject({ isMoving: true });
    const arriving = authenticateWith({ tenantState: 'arriving' }).authenticate(headers, HERE);
    await expect(arriving).rejects.toMatchObject({ kind: 'unavailable', retryAfterS: 5 });
  });

  it('stops at a role that it does not know', async () => {
    const { authenticate } = authenticateWith({ role: 'emperor' });
    await expect(authenticate(headers, HERE)).rejects.toThrow('unknown role');
  });
});
