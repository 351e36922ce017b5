import type { CalloutClient } from '@callout/client';

/** The rights of a credential. */
export interface Rights {
  readonly role: 'integrator' | 'source' | 'admin';
  readonly mayCreateWebhooks: boolean;
}

/** Reads the rights of a credential from the metadata of the API's collections. */
export async function rightsOf(client: CalloutClient): Promise<Rights> {
  const [webhooks, records] = await Promise.all([
    client.GET('/v1.0/CompanyWebhooks/entityInformation'),
    client.GET('/v1.0/Companies/entityInformation'),
  ]);
  const mayWriteWebhooks = webhooks.data?.info.userAccessForUpdate === 'All';
  const mayWriteRecords = records.data?.info.userAccessForCreate === 'All';
  const role = mayWriteWebhooks ? (mayWriteRecords ? 'admin' : 'integrator') : 'source';
  return { role, mayCreateWebhooks: webhooks.data?.info.userAccessForCreate === 'All' };
}
