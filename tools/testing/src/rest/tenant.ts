import { randomUUID } from 'node:crypto';
import { type Database, openDatabase } from '@callout/database/connection/database';
import { createTenantStore, type IssuedCredential } from '@callout/tenancy/tenants';

/** The callers of a tenant made for a test. */
export interface TenantUnderTest {
  readonly id: number;
  readonly integrator: IssuedCredential;
  /** An integrator who owns webhooks. */
  readonly owner: IssuedCredential;
  readonly ownerId: number;
  readonly admin: IssuedCredential;
  readonly adminId: number;
  readonly source: IssuedCredential;
  /** Resource of the credential `source`: it acts in events that name none. */
  readonly sourceId: number;
  /** One more resource, for events that name one. */
  readonly colleagueId: number;
}

/** Makes a tenant without limits in a database that has its tables. */
export async function makeTenant(database: Pick<Database, 'prisma' | 'transaction'>): Promise<TenantUnderTest> {
  const store = createTenantStore(database);
  const name = randomUUID();
  const tenantId = await store.create({ name, calloutThreshold: 0, apiRequestsPerHour: 0 });
  const resource = (who: string, canCreateWebhooks = false) =>
    store.createResource({ tenantId, email: `${who}@example.com`, canCreateWebhooks });
  const credential = (role: 'integrator' | 'source' | 'admin', resourceId: number) =>
    store.createCredential({ tenantId, resourceId, userName: `${role}-${resourceId}-${name}@example.com`, role });
  const ownerId = await resource('owner', true);
  const sourceId = await resource('source');
  const adminId = await resource('admin');
  return {
    id: tenantId,
    integrator: await credential('integrator', await resource('integrator', true)),
    owner: await credential('integrator', ownerId),
    ownerId,
    admin: await credential('admin', adminId),
    adminId,
    source: await credential('source', sourceId),
    sourceId,
    colleagueId: await resource('colleague'),
  };
}

/** Opens a database as a process of the installation does; a broken connection is replaced at the next call. */
export function openForTest(url: string): Database {
  return openDatabase({ url, poolSize: 2, applicationName: 'callout-e2e', onError: () => undefined });
}
