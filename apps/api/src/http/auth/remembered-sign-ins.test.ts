import { beforeEach, describe, expect, it } from '@jest/globals';
import { createRememberedSignIns, type RememberedSignIns } from './remembered-sign-ins.ts';

const headers = { username: 'me@example.com', secret: 'secret', apiintegrationcode: 'code' };
const HERE = '192.0.2.1';
const signIn = {
  caller: {
    credentialId: 5,
    tenantId: 1,
    resourceId: 2,
    personId: 2,
    role: 'source',
    canCreateWebhooks: false,
    apiRequestsPerHour: null,
  },
  proof: { foldedUserName: 'me@example.com', address: HERE, stamp: '1 2 3' },
} as const;

let nowMs = 0;
let remembered: RememberedSignIns;
beforeEach(() => {
  nowMs = 0;
  remembered = createRememberedSignIns({ nowMs: () => nowMs, cacheKey: Buffer.alloc(32) });
  remembered.keep(headers, HERE, signIn);
});

describe('a remembered sign-in', () => {
  it('is found by the same headers from the same address for 10 seconds', () => {
    nowMs = 9_999;
    expect(remembered.recall(headers, HERE)).toMatchObject(signIn);
    nowMs = 10_000;
    expect(remembered.recall(headers, HERE)).toBeUndefined();
  });

  it.each([
    ['another user name', { username: 'you@example.com' }, HERE],
    ['another secret', { secret: 'x' }, HERE],
    ['no secret', { secret: undefined }, HERE],
    ['another code', { apiintegrationcode: 'x' }, HERE],
    ['an impersonated resource', { impersonationresourceid: '7' }, HERE],
    ['another address', {}, '192.0.2.2'],
  ])('is not found by %s', (_what, change, address) => {
    expect(remembered.recall({ ...headers, ...change }, address)).toBeUndefined();
  });

  it('does not last where it was for another resource', () => {
    const impersonating = { ...headers, impersonationresourceid: '7' };
    remembered.keep(impersonating, HERE, signIn);
    expect(remembered.recall(impersonating, HERE)).toBeUndefined();
  });

  it('gives way when there are ten thousand younger ones', () => {
    for (let nth = 0; nth < 9_999; nth += 1) remembered.keep({ ...headers, secret: `${nth}` }, HERE, signIn);
    expect(remembered.recall(headers, HERE)).toBeDefined();
    remembered.keep({ ...headers, secret: 'one more' }, HERE, signIn);
    expect(remembered.recall(headers, HERE)).toBeUndefined();
  });
});
