import { openDatabase } from '@callout/database/connection/database';
import { createTenantStore, type IssuedCredential } from '@callout/tenancy/tenants';

/** First attempts are counted as in production, and no run reaches this. */
const CALLOUT_THRESHOLD = 1_000_000_000;

/** Adds a tenant whose limits are out of reach, with two API users: the headers that they call with. */
export async function addTenant(databaseUrl: string, name: string) {
  const onError = (error: Error): never => {
    throw error;
  };
  const database = openDatabase({ url: databaseUrl, poolSize: 2, applicationName: 'callout-bench', onError });
  try {
    const tenants = createTenantStore(database);
    const tenantId = await tenants.create({ name, calloutThreshold: CALLOUT_THRESHOLD, apiRequestsPerHour: 0 });
    const caller = async (role: 'integrator' | 'source') => {
      const userName = `${role}@${name}.example`;
      const canCreateWebhooks = role === 'integrator';
      const resourceId = await tenants.createResource({ tenantId, email: userName, canCreateWebhooks });
      return headersOf(await tenants.createCredential({ tenantId, resourceId, role, userName }));
    };
    return { integrator: await caller('integrator'), source: await caller('source'), tenantId };
  } finally {
    await database.close();
  }
}

function headersOf({ userName, secret, apiIntegrationCode }: IssuedCredential): Record<string, string> {
  return { UserName: userName, Secret: secret, ApiIntegrationCode: apiIntegrationCode };
}
