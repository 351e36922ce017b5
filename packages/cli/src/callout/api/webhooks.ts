import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem/problem';
import { type CalloutClient, queryAll, type Schemas } from '@callout/client';
import { parseWebhookName, watchedEntities, type WatchedEntity } from '../input/webhook-named.ts';

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
  | '/readiness'
  | '/test'
  | '/redeliver'
  | '/retryNow'
  | '/cancel'
  | '/rotateSecret'
  | '/Callouts'
  | '/Callouts/query/count';

/** A path below one webhook. All collections of webhooks are alike, so the types of one are those of all. */
export function webhookPath<Below extends Rest>(
  collection: string,
  below: Below,
): `/v1.0/CompanyWebhooks/{id}${Below}` {
  return `/v1.0/${collection}/{id}${below}` as `/v1.0/CompanyWebhooks/{id}${Below}`;
}

/** A path of a collection of webhooks, or of its children. */
export function collectionPath<Below extends '' | '/query'>(
  collection: string,
  below: Below,
): `/v1.0/CompanyWebhooks${Below}` {
  return `/v1.0/${collection}${below}` as `/v1.0/CompanyWebhooks${Below}`;
}

/** Finds where the webhook is that a command line names. Throws a Problem where a GUID is that of none. */
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
export async function readWebhook(client: CalloutClient, { entity, id }: WebhookPlace): Promise<Webhook> {
  const { data } = await client.GET(webhookPath(entity.webhookCollection, ''), { params: { path: { id } } });
  return data?.item as Webhook;
}

export const placeName = ({ entity, id }: WebhookPlace): string => `${entity.webhookCollection}/${id}`;
