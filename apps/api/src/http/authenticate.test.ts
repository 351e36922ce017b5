import { describe, expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { createAuthenticate, type StoredCredential } from './authenticate.ts';

const stored: StoredCredential = {
  credentialId: 5,
  tenantId: 1,
  resourceId: 2,
  apiIntegrationCode: 'code',
  secretHash: hash('sha256', 'secret', 'buffer'),
  role: 'source',
  isResourceActive: true,
  canCreateWebhooks: false,
};
const headers = { username: 'Me@Example.com', secret: 'secret', apiintegrationcode: 'code' };

function authenticateWith(change: Partial<StoredCredential> = {}) {
  return createAuthenticate({
    findCredential: (name) => Promise.resolve(name === 'me@example.com' ? { ...stored, ...change } : undefined),
    isActiveResource: (tenantId, id) => Promise.resolve(tenantId === 1 && id === 7),
  });
}

describe('createAuthenticate', () => {
  it('tells who calls, and with which rights', async () => {
    await expect(authenticateWith()(headers)).resolves.toEqual({
      credentialId: 5,
      tenantId: 1,
      resourceId: 2,
      personId: 2,
      role: 'source',
      canCreateWebhooks: false,
    });
  });

  it('lets another resource act, while ownership and rights stay', async () => {
    await expect(authenticateWith()({ ...headers, impersonationresourceid: '7' })).resolves.toMatchObject({
      resourceId: 2,
      personId: 7,
      role: 'source',
    });
  });

  it.each(['username', 'secret', 'apiintegrationcode'])('needs the header %s', async (name) => {
    await expect(authenticateWith()({ ...headers, [name]: ' ' })).rejects.toMatchObject({
      status: 401,
      message: expect.stringContaining('are needed'),
    });
  });

  it('finds nobody under a secret of all zeros', async () => {
    // The hash that stands in for unknown users must not be a password.
    const attempts = ['', '\0', '\0'.repeat(32)].map((secret) =>
      authenticateWith()({ username: 'nobody', secret: `x${secret}`, apiintegrationcode: '' }),
    );
    for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({ status: 401 });
  });

  it('stops at a role that it does not know', async () => {
    await expect(authenticateWith({ role: 'emperor' })(headers)).rejects.toThrow('unknown role');
  });
});
