import { describe, expect, it } from '@jest/globals';
import { mayUseConsole, sessionOf, type SessionRow } from './session.rules.ts';

const at = new Date('2026-11-24T12:00:00Z');
const tenant = { id: 3, name: 'Acme', apiRequestsPerHour: null, deletingAt: null, state: 'active' };
const resource = { id: 7, email: 'a@b.example', isActive: true, canCreateWebhooks: true, deletedAt: null, tenant };
const credential = { id: 9, userName: 'a', role: 'admin', revokedAt: null };
const ofUser: SessionRow = {
  kind: 'user',
  proof: Buffer.from('p'),
  webhookKey: null,
  createdAt: at,
  expiresAt: at,
  resource,
  credential,
};
const ofPortal: SessionRow = { ...ofUser, kind: 'portal', proof: null, webhookKey: 5n, credential: null };

describe('a session of a user', () => {
  it('has the rights of its resource and credential as they are now', () => {
    expect(sessionOf(ofUser, true)).toMatchObject({
      kind: 'user',
      proof: null,
      member: { tenantId: 3, resourceId: 7, canCreateWebhooks: true, isMoving: false, credential, webhookKey: null },
    });
  });

  it.each([
    ['its credential has another secret', ofUser, false],
    ['its credential is revoked', { ...ofUser, credential: { ...credential, revokedAt: at } }, true],
    ['its credential is gone', { ...ofUser, credential: null }, false],
    ['its resource is gone', { ...ofUser, resource: null }, true],
    ['its resource is inactive', { ...ofUser, resource: { ...resource, isActive: false } }, true],
    ['its resource is deleted', { ...ofUser, resource: { ...resource, deletedAt: at } }, true],
    ['its tenant is being deleted', withTenant({ deletingAt: at }), true],
    ['its tenant has left this zone', withTenant({ state: 'left' }), true],
    ['its tenant is arriving in this zone', withTenant({ state: 'arriving' }), true],
  ] as const)('counts no more when %s', (_title, row, isProven) => {
    expect(sessionOf(row, isProven)).toBeUndefined();
  });

  it('reads on while its tenant is being moved', () => {
    expect(sessionOf(withTenant({ state: 'moving' }), true)?.member?.isMoving).toBe(true);
  });
});

describe('a session without a credential', () => {
  it('of a portal has the webhook of its link, and ends with its resource', () => {
    expect(sessionOf(ofPortal, false)?.member).toMatchObject({ resourceId: 7, credential: undefined, webhookKey: 5 });
    expect(sessionOf({ ...ofPortal, resource: { ...resource, isActive: false } }, false)).toBeUndefined();
  });

  it('of the operator keeps the digest of the token that it began with', () => {
    const proof = Buffer.from('token');
    const row = { ...ofPortal, kind: 'operator', proof, resource: null };
    expect(sessionOf(row, false)).toEqual({ kind: 'operator', createdAt: at, expiresAt: at, proof, member: undefined });
  });
});

describe('the console', () => {
  it('is for every role but source', () => {
    expect(['integrator', 'admin', 'source'].map(mayUseConsole)).toEqual([true, true, false]);
  });
});

function withTenant(change: Partial<(typeof resource)['tenant'] | { deletingAt: Date; state: string }>): SessionRow {
  return { ...ofUser, resource: { ...resource, tenant: { ...tenant, ...change } } };
}
