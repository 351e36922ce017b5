import type { IssuedCredential } from '@callout/tenancy/tenants';
import { callApi } from './api-client.ts';

/** Reports new companies, in one request that must be accepted. @param ids from `first` up, `count` of them. */
export async function createCompanies(
  port: number,
  source: IssuedCredential,
  { first, count }: { first: number; count: number },
): Promise<void> {
  const events = Array.from({ length: count }, (_, nth) => ({
    entityType: 'Account',
    action: 'Create',
    id: first + nth,
    fields: { companyName: `company ${first + nth}` },
  }));
  const reply = await callApi(port, source, { method: 'POST', path: '/EntityEvents', body: { events } });
  if (reply.kind !== 'answered' || reply.status !== 202) throw new Error(`not accepted: ${JSON.stringify(reply)}`);
}
