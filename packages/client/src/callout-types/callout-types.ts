import type { CalloutClient, Schemas } from '../client.ts';
import { queryAll } from '../pages.ts';
import { type WebhookCollection, webhookCollections } from '../webhook-collection.ts';
import { type WebhookShape, typesOf } from './types-of.ts';

/**
 * Writes the TypeScript types of the callouts of webhooks, to be used as `createReceiver<…>` of `@callout/receiver`: an
 * interface for each webhook, with actions and fields from the metadata, user-defined fields too. The text is the same
 * until a webhook, a field or a picklist changes.
 *
 * @param webhooks all that the caller may see when left out.
 * @throws ApiError as the methods of the client do; 404 for an unknown webhook.
 */
export async function calloutTypes(client: CalloutClient, webhooks?: readonly WebhookPlace[]): Promise<string> {
  return typesOf(await readShapes(client, webhooks));
}

/** A webhook by its collection and id. */
export interface WebhookPlace {
  readonly collection: WebhookCollection;
  readonly id: number;
}

/** Reads webhooks with their schemas, or all that the caller may see, by collection and id. Throws ApiError. */
export async function readShapes(client: CalloutClient, places?: readonly WebhookPlace[]): Promise<WebhookShape[]> {
  const shapes: WebhookShape[] = [];
  for (const collection of webhookCollections) {
    const ids = places?.filter((place) => place.collection === collection).map(({ id }) => id);
    for (const webhook of await webhooksOf(client, collection, ids)) {
      const { id = 0, name = '' } = webhook;
      const path = `${pathOf(collection)}/{id}/PayloadSchema` as '/v1.0/CompanyWebhooks/{id}/PayloadSchema';
      const { data: schema } = await client.GET(path, { params: { path: { id } } });
      shapes.push({ webhook: `${collection}/${id}`, name, schema });
    }
  }
  return shapes;
}

async function webhooksOf(
  client: CalloutClient,
  collection: WebhookCollection,
  ids?: readonly number[],
): Promise<Schemas['Webhook'][]> {
  const path = pathOf(collection);
  if (ids === undefined) {
    const all: Schemas['Webhook'][] = [];
    for await (const webhook of queryAll(client, `${path}/query`, { Filter: [] })) all.push(webhook);
    return all;
  }
  const sorted = [...new Set(ids)].toSorted((one, other) => one - other);
  // One by one: an unknown webhook is an error.
  const answers = sorted.map((id) => client.GET(`${path}/{id}`, { params: { path: { id } } }));
  return (await Promise.all(answers)).map(({ data }) => data.item);
}

/** All collections take and answer the same. */
const pathOf = (collection: WebhookCollection) => `/v1.0/${collection}` as '/v1.0/CompanyWebhooks';
