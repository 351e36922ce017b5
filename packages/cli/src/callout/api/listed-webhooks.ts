import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import type { CalloutClient, Schemas } from '@callout/client';
import { nameOfWebhook } from '../input/webhook-named.ts';

/** A webhook with its state and its latest deliveries. */
export type ListedWebhook = Schemas['ListedWebhook'];

const perPage = 500;

/** The webhooks that the credential may see, of one entity if it is given. */
export async function listedWebhooks(client: CalloutClient, entityType?: string): Promise<ListedWebhook[]> {
  const items: ListedWebhook[] = [];
  for (;;) {
    const query = { maxRecords: perPage, skip: items.length, ...(entityType !== undefined && { entityType }) };
    const { data } = await client.GET('/v1.0/Webhooks', { params: { query } });
    items.push(...data.items);
    if (data.items.length < perPage) return items;
  }
}

/** Such as `CompanyWebhooks/3`. */
export function nameOfListed(catalogue: Catalogue, { entityType, webhookID }: ListedWebhook): string {
  return nameOfWebhook(catalogue, { entityType, id: webhookID });
}

/** A share from 0 to 1, as `12 %`; a share above zero is never `0 %`. */
export function percent(share: number): string {
  const rounded = Math.round(share * 100);
  return share > 0 && rounded === 0 ? 'below 1 %' : `${rounded} %`;
}
