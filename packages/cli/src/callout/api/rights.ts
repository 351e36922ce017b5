import type { CalloutClient } from '@callout/client';

/** What a credential may do. */
export interface Rights {
  readonly role: 'integrator' | 'source' | 'admin';
  readonly mayCreateWebhooks: boolean;
}

/** Reads what a credential may do, from what the API says about its collections to this caller. */
export async function rightsOf(client: CalloutClient): Promise<Rights> {
  const [webhooks, records] = await Promise.all([
    client.GET('/v1.0/CompanyWebhooks/entityInformation'),
    client.GET('/v1.0/Companies/entityInformation'),
  ]);
  const mayWriteWebhooks = webhooks.data?.info.userAccessForUpdate === 1;
  const mayWriteRecords = records.data?.info.userAccessForCreate === 1;
  const role = mayWriteWebhooks ? (mayWriteRecords ? 'admin' : 'integrator') : 'source';
  return { role, mayCreateWebhooks: webhooks.data?.info.userAccessForCreate === 1 };
}
