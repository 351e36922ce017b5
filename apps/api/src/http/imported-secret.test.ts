import { randomUUID, scryptSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createAdministration } from '@callout/tenancy/operator/administration/administration';
import { failure } from '../fixtures/failure.ts';
import { runTestApi } from '../fixtures/run-test-api.ts';
import { makeTenant, type TestCredential } from '../fixtures/test-tenant.ts';

const api = runTestApi();

const secret = `Their old #1 secret ${randomUUID()}`;
const apiIntegrationCode = 'THEIR-OLD-CODE';

async function anImportedCredential() {
  const { id: tenantId } = await makeTenant(api.database);
  const administration = createAdministration(api.database);
  const userName = `old-${randomUUID()}@example.com`;
  const body = { resourceID: 1, userName, role: 'integrator', secret, apiIntegrationCode };
  await administration.credentials.create(tenantId, body);
  const as: TestCredential = { userName, secret, apiIntegrationCode, resourceId: 1 };
  return { as };
}

/** A secret that was stored with a weak hash: its row says how it is checked. */
async function aCheapCredential() {
  const { id: tenantId, integrator } = await makeTenant(api.database);
  const salt = Buffer.alloc(16);
  const { userName, resourceId } = integrator;
  const { id } = await api.database.prisma.credential.update({
    where: { userNameFolded: userName.toLowerCase() },
    data: {
      apiIntegrationCode,
      secretHash: Uint8Array.from(scryptSync(secret, salt, 32, { N: 2, r: 1, p: 1 })),
      secretScrypt: `ln=1,r=1,p=1,salt=${salt.toString('base64')}`,
    },
  });
  const as: TestCredential = { userName, secret, apiIntegrationCode, resourceId };
  return { administration: createAdministration(api.database), tenantId, id, as };
}

const ask = (as: TestCredential) => api.call('GET', '/Companies/1', { as });

describe('a client that keeps its secret', () => {
  it('is let in by it, and by no other, and it gets into no response and no log', async () => {
    const { as } = await anImportedCredential();
    expect((await ask(as)).status).toBe(404);
    for (const wrong of [
      { ...as, secret: `${secret}x` },
      { ...as, apiIntegrationCode: 'OTHER' },
    ]) {
      expect(await ask(wrong)).toMatchObject({ status: 401, body: failure('unauthorized') });
    }
    expect((await ask(as)).status).toBe(404);
    expect(api.log()).not.toContain(secret);
    expect(api.log()).not.toContain(apiIntegrationCode);
  });

  it('is refused at once when its credential is revoked or reissued, also while it is cached', async () => {
    const { administration, tenantId, id, as } = await aCheapCredential();
    expect((await ask(as)).status).toBe(404);
    await administration.credentials.revoke(tenantId, id);
    expect((await ask(as)).status).toBe(401);
    const generated = await administration.credentials.reissue(tenantId, id);
    expect((await ask(as)).status).toBe(401);
    expect((await ask({ ...generated, resourceId: 1 })).status).toBe(404);
  });

  it('is locked out after ten failures as any other, also while its right secret is remembered', async () => {
    const { as } = await aCheapCredential();
    expect((await ask(as)).status).toBe(404);
    for (let time = 0; time < 10; time += 1) await ask({ ...as, apiIntegrationCode: 'OTHER' });
    expect(await ask(as)).toMatchObject({ status: 401, body: failure('lockedOut') });
  });

  it('is let in with many requests at once', async () => {
    const { as } = await aCheapCredential();
    const responses = await Promise.all(Array.from({ length: 30 }, () => ask(as)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([404]));
  });
});
