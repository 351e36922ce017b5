import { beforeEach, describe, expect, it } from '@jest/globals';
import { createAuthenticationCache, type AuthenticationCache } from './authentication-cache.ts';

const headers = { username: 'me@example.com', secret: 'secret', apiintegrationcode: 'code' };
const HERE = '192.0.2.1';
const authentication = {
  caller: {
    credentialId: 5,
    tenantId: 1,
    resourceId: 2,
    personId: 2,
    role: 'source',
    canCreateWebhooks: false,
    apiRequestsPerHour: null,
  },
  proof: { foldedUserName: 'me@example.com', address: HERE, version: '1 2 3' },
} as const;

let nowMs: number;
let cached: AuthenticationCache;
beforeEach(() => {
  nowMs = 1;
  cached = createAuthenticationCache({ nowMs: () => nowMs, cacheKey: Buffer.alloc(32) });
  cached.keep(headers, HERE, authentication);
});

describe('a cached authentication', () => {
  it('is found by the same headers from the same address for 10 seconds', () => {
    nowMs += 10_000;
    expect(cached.recall(headers, HERE)).toMatchObject(authentication);
    nowMs += 1;
    expect(cached.recall(headers, HERE)).toBeUndefined();
  });

  it.each([
    ['another user name', { username: 'you@example.com' }, HERE],
    ['another secret', { secret: 'x' }, HERE],
    ['no secret', { secret: undefined }, HERE],
    ['another code', { apiintegrationcode: 'x' }, HERE],
    ['an impersonated resource', { impersonationresourceid: '7' }, HERE],
    ['another address', {}, '192.0.2.2'],
  ])('is not found by %s', (_what, change, address) => {
    expect(cached.recall({ ...headers, ...change }, address)).toBeUndefined();
  });

  it('does not last where it was for another resource', () => {
    const impersonating = { ...headers, impersonationresourceid: '7' };
    cached.keep(impersonating, HERE, authentication);
    expect(cached.recall(impersonating, HERE)).toBeUndefined();
  });

  it('gives way when there are ten thousand younger ones', () => {
    for (let nth = 0; nth < 9_999; nth += 1) cached.keep({ ...headers, secret: `${nth}` }, HERE, authentication);
    expect(cached.recall(headers, HERE)).toBeDefined();
    cached.keep({ ...headers, secret: 'one more' }, HERE, authentication);
    expect(cached.recall(headers, HERE)).toBeUndefined();
  });
});
