import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem';
import { type CalloutClient, queryAll, type Schemas } from '@callout/client';
import { parseWebhookName, watchedEntities, type WatchedEntity, nameOfWebhook } from '../input/webhook-named.ts';

/** A webhook with all fields, as the API returns it. */
export type Webhook = Required<Schemas['Webhook']>;

/** Where a webhook is in the API. */
export interface WebhookPlace {
  readonly entity: WatchedEntity;
  readonly id: number;
}

type Rest =
  | ''
  | '/Pull'
  | '/Pull/ack'
  | '/preview'
  | '/readiness'
  | '/test'
  | '/redeliver'
  | '/retryNow'
  | '/cancel'
  | '/rotateSecret'
  | '/Changes'
  | '/Callouts'
  | '/Callouts/query/count';

/** A path below one webhook. All collections of webhooks are alike, so the types of one collection serve for all. */
export function webhookPath<Below extends Rest>(
  collection: string,
  below: Below,
): `/v1.0/CompanyWebhooks/{id}${Below}` {
  return `/v1.0/${collection}/{id}${below}` as `/v1.0/CompanyWebhooks/{id}${Below}`;
}

/** A path of a collection of webhooks, or of its children. */
export function collectionPath<Below extends '' | '/query' | '/preview'>(
  collection: string,
  below: Below,
): `/v1.0/CompanyWebhooks${Below}` {
  return `/v1.0/${collection}${below}` as `/v1.0/CompanyWebhooks${Below}`;
}

/** Finds where the webhook is that a command line names. Throws a Problem for an unknown GUID. */
export async function findWebhook(client: CalloutClient, catalogue: Catalogue, text: string): Promise<WebhookPlace> {
  const name = parseWebhookName(catalogue, text);
  if ('entityType' in name) {
    const entity = catalogue.byEntityType(name.entityType);
    if (entity === undefined) throw Problem.notFound();
    return { entity, id: name.id };
  }
  for (const entity of watchedEntities(catalogue)) {
    const query = { Filter: [{ op: 'eq' as const, field: 'webhookGUID', value: name.guid }] };
    for await (const { id } of queryAll(client, collectionPath(entity.webhookCollection, '/query'), query)) {
      if (id !== undefined) return { entity, id };
    }
  }
  throw Problem.invalid(
    `you have no webhook with the GUID ${name.guid}: \`callout webhooks list\` shows those that you have`,
  );
}

/** Reads a webhook. Throws an ApiError 404. */
export async function readWebhook(client: CalloutClient, place: WebhookPlace): Promise<Webhook> {
  return (await getWebhook(client, place)).data.item as Webhook;
}

/** The webhook with the ETag of its version. */
export async function readVersion(client: CalloutClient, place: WebhookPlace) {
  const { data, response } = await getWebhook(client, place);
  return { webhook: data.item as Webhook, etag: response.headers.get('ETag') };
}

const getWebhook = (client: CalloutClient, { entity, id }: WebhookPlace) =>
  client.GET(webhookPath(entity.webhookCollection, ''), { params: { path: { id } } });

export const placeName = ({ entity, id }: WebhookPlace): string => `${entity.webhookCollection}/${id}`;

/** A webhook with state and latest deliveries. */
export type ListedWebhook = Schemas['ListedWebhook'];

const perPage = 500;

/** The webhooks that the credential may see, of one entity if given. */
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
