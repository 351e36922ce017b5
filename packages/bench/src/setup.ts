import { type CalloutClient, createClient } from '@callout/client';
import { openDatabase } from '@callout/db/connection';
import { applyMigrations } from '@callout/db/schema';
import { createTenantStore, type IssuedCredential } from '@callout/db/tenants';
import type { Plan } from './plan.ts';
import { CHANGED_FIELD } from './driver/company-fields.ts';

/** The headers that an API call is made with. */
export type CallHeaders = Readonly<Record<string, string>>;

export interface Callers {
  /** Registers webhooks. */
  readonly integrator: CallHeaders;
  /** Sends events. */
  readonly source: CallHeaders;
  readonly tenantId: number;
}

/** First attempts are counted as in production, and no run reaches this. */
const CALLOUT_THRESHOLD = 1_000_000_000;

/** Fills an empty database: the schema, and a tenant whose limits are out of reach, with two API users. */
export async function setUpTenant(databaseUrl: string, name = 'bench'): Promise<Callers> {
  await applyMigrations(databaseUrl);
  const onError = (error: Error): never => {
    throw error;
  };
  const database = openDatabase({ url: databaseUrl, poolSize: 2, applicationName: 'callout-bench', onError });
  try {
    const tenants = createTenantStore(database);
    const tenantId = await tenants.create({
      name,
      calloutThreshold: CALLOUT_THRESHOLD,
      apiRequestsPerHour: 0,
    });
    const caller = async (role: 'integrator' | 'source') => {
      const userName = `${role}@${name}.example`;
      const resourceId = await tenants.createResource({
        tenantId,
        email: userName,
        canCreateWebhooks: role === 'integrator',
      });
      return headersOf(await tenants.createCredential({ tenantId, resourceId, role, userName }));
    };
    return { integrator: await caller('integrator'), source: await caller('source'), tenantId };
  } finally {
    await database.close();
  }
}

/** The headers that a credential calls with. */
export function headersOf({ userName, secret, apiIntegrationCode }: IssuedCredential): CallHeaders {
  return { UserName: userName, Secret: secret, ApiIntegrationCode: apiIntegrationCode };
}

/** A client for what is set up. What is measured is sent by the drivers, as plain HTTP. @param apiUrl ends with `/v1.0` */
export function clientOf(apiUrl: string, caller: CallHeaders): CalloutClient {
  return createClient({ baseUrl: apiUrl.replace(/\/v1\.0$/u, ''), headers: { ...caller } });
}

/** Registers the webhooks of a run, as an integrator would: one field triggers, the others are always shown. */
export async function registerWebhooks(
  apiUrl: string,
  caller: CallHeaders,
  { company, fillers, behaviours }: Plan,
  urlOf: (webhook: number) => string,
): Promise<void> {
  const client = clientOf(apiUrl, caller);
  for (const webhook of behaviours.keys()) {
    const url = urlOf(webhook);
    await client.POST(`/v1.0/${company.webhookCollection}` as '/v1.0/CompanyWebhooks', {
      body: {
        name: `bench.Company.${webhook}`,
        webhookUrl: url,
        deactivationUrl: url,
        secretKey: 'a secret of thirty-two characters',
        isActive: true,
        isSubscribedToCreateEvents: true,
        isSubscribedToUpdateEvents: true,
        fields: [
          { field: CHANGED_FIELD, isSubscribedField: true },
          ...fillers.map(({ name }) => ({ field: name, isDisplayAlwaysField: true })),
        ],
      },
    });
  }
}
