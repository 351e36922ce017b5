import { type CalloutClient, queryAll } from '@callout/client';
import type { WebhookPlace } from '../api/webhooks.ts';
import type { WatchedEntity } from '../input/webhook-named.ts';

/** A field that a webhook names. */
export interface WebhookField {
  readonly name: string;
  readonly isSubscribed: boolean;
  readonly isDisplayed: boolean;
}

const all = { Filter: [] };

/** The fields, user-defined fields and excluded resources of a webhook, by name. */
export async function childrenOf(client: CalloutClient, { entity, id: parentId }: WebhookPlace) {
  const parent = { path: { parentId } };
  const under = <Child extends 'Fields' | 'UdfFields' | 'ExcludedResources'>(child: Child) =>
    `/v1.0/${entity.webhookCollection}/{parentId}/${child}/query` as `/v1.0/CompanyWebhooks/{parentId}/${Child}/query`;
  const fields: WebhookField[] = [];
  for await (const row of queryAll(client, under('Fields'), all, parent)) {
    fields.push({ name: entity.fieldByID(row.fieldID ?? 0)?.name ?? `field ${row.fieldID}`, ...flagsOf(row) });
  }
  const udfFields: WebhookField[] = [];
  const names = entity.hasUserDefinedFields ? await udfNames(client, entity) : new Map<number, string>();
  if (entity.hasUserDefinedFields) {
    for await (const row of queryAll(client, under('UdfFields'), all, parent)) {
      const { udfFieldID = 0 } = row;
      udfFields.push({ name: names.get(udfFieldID) ?? `user-defined field ${udfFieldID}`, ...flagsOf(row) });
    }
  }
  const excludedResources: number[] = [];
  for await (const { resourceID } of queryAll(client, under('ExcludedResources'), all, parent)) {
    if (resourceID !== undefined) excludedResources.push(resourceID);
  }
  return { fields, udfFields, excludedResources };
}

function flagsOf(row: { isSubscribedField?: boolean; isDisplayAlwaysField?: boolean }) {
  return { isSubscribed: row.isSubscribedField === true, isDisplayed: row.isDisplayAlwaysField === true };
}

/** A user-defined field that webhooks of an entity can name. */
export interface UdfChoice {
  readonly id: number;
  readonly name: string;
  readonly label: string;
}

/** The user-defined fields that webhooks of an entity can name. */
export async function udfChoices(client: CalloutClient, entity: WatchedEntity): Promise<UdfChoice[]> {
  if (!entity.hasUserDefinedFields) return [];
  const params = { path: { collection: entity.collection } };
  const [labels, { data }] = await Promise.all([
    udfNames(client, entity),
    client.GET('/v1.0/{collection}/entityInformation/userDefinedFields', { params }),
  ]);
  const nameOf = new Map(data.fields.map(({ name, label }) => [label, name]));
  return [...labels].map(([id, label]) => ({ id, label, name: nameOf.get(label) ?? label }));
}

/** The labels of the user-defined fields that webhooks of an entity can name, by their ids. */
export async function udfNames(
  client: CalloutClient,
  { webhookSingular }: WatchedEntity,
): Promise<Map<number, string>> {
  const params = { path: { collection: `${webhookSingular}UdfFields` } };
  const { data } = await client.GET('/v1.0/{collection}/entityInformation/fields', { params });
  const choices = data.fields.find(({ name }) => name === 'udfFieldID')?.picklistValues ?? [];
  return new Map(choices.map(({ value, label }) => [Number(value), label]));
}
