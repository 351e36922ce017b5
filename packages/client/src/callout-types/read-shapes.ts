import type { CalloutClient, Schemas } from '../client.ts';
import { queryAll } from '../pages.ts';
import { watched, type WebhookCollection, webhookCollections } from '../webhook-collection.ts';
import type { FieldShape, WebhookShape } from './webhook-shape.ts';

/** A webhook by its collection and id. */
export interface WebhookPlace {
  readonly collection: WebhookCollection;
  readonly id: number;
}

type FieldInformation = Schemas['FieldInformation']['fields'][number];

/** What is the same of a field in all webhooks. */
type KnownField = Omit<FieldShape, 'isAlwaysDisplayed'>;

/** Reads webhooks, or all that the caller may see, by collection and id. Throws ApiError. */
export async function readShapes(client: CalloutClient, places?: readonly WebhookPlace[]): Promise<WebhookShape[]> {
  const shapes: WebhookShape[] = [];
  for (const collection of webhookCollections) {
    const ids = places?.filter((place) => place.collection === collection).map(({ id }) => id);
    if (ids !== undefined && ids.length === 0) continue;
    const webhooks = await webhooksOf(client, collection, ids);
    if (webhooks.length === 0) continue;
    const fields = await knownFields(client, collection);
    for (const webhook of webhooks) shapes.push(await shapeOf(client, collection, webhook, fields));
  }
  return shapes;
}

async function webhooksOf(client: CalloutClient, collection: WebhookCollection, ids?: readonly number[]) {
  // All collections take and answer the same.
  const path = `/v1.0/${collection}` as '/v1.0/CompanyWebhooks';
  if (ids === undefined) return collected(queryAll(client, `${path}/query`, { Filter: [] }));
  const sorted = [...new Set(ids)].toSorted((one, other) => one - other);
  // One by one, so that one that does not exist is an error.
  const answers = sorted.map((id) => client.GET(`${path}/{id}`, { params: { path: { id } } }));
  return (await Promise.all(answers)).map(({ data }) => data.item);
}

interface KnownFields {
  /** By the number that children of webhooks name them by. */
  readonly system: ReadonlyMap<number, KnownField>;
  readonly userDefined: ReadonlyMap<number, KnownField>;
}

/** What the fields of an entity are, as its metadata has them. */
async function knownFields(client: CalloutClient, collection: WebhookCollection): Promise<KnownFields> {
  const { records, hasUserDefinedFields } = watched[collection];
  const path = `/v1.0/${records}/entityInformation` as '/v1.0/Companies/entityInformation';
  const { data: system } = await client.GET(`${path}/fields`);
  const known = system.fields.flatMap((field) =>
    field.fieldID === undefined
      ? []
      : [[field.fieldID, { ...fieldOf(capitalised(field.name), field), name: field.name }] as const],
  );
  if (!hasUserDefinedFields) return { system: new Map(known), userDefined: new Map() };
  const { data: userDefined } = await client.GET(`${path}/userDefinedFields`);
  const byLabel = new Map(userDefined.fields.map((field) => [field.label, fieldOf(field.label, field)]));
  const { data: children } = await client.GET(`${udfFieldsPath(collection)}/entityInformation/fields`);
  const ids = children.fields.find(({ name }) => name === 'udfFieldID')?.picklistValues ?? [];
  const labelled = ids.flatMap(({ value, label }) => {
    const field = byLabel.get(label);
    return field === undefined ? [] : [[Number(value), field] as const];
  });
  return { system: new Map(known), userDefined: new Map(labelled) };
}

async function shapeOf(
  client: CalloutClient,
  collection: WebhookCollection,
  webhook: Schemas['Webhook'],
  known: KnownFields,
): Promise<WebhookShape> {
  const { id = 0, name = '', webhookGUID: guid = '' } = webhook;
  const { entityType, hasUserDefinedFields } = watched[collection];
  const ofWebhook = { Filter: [{ op: 'eq' as const, field: 'webhookID', value: id }] };
  const fields = await collected(queryAll(client, `${fieldsPath(collection)}/query`, ofWebhook));
  const userDefined = hasUserDefinedFields
    ? await collected(queryAll(client, `${udfFieldsPath(collection)}/query`, ofWebhook))
    : [];
  return {
    webhook: `${collection}/${id}`,
    name,
    guid,
    entityType,
    isTyped: webhook.payloadFormat !== undefined && webhook.payloadFormat !== 'reference',
    actions: [
      ...(webhook.isSubscribedToCreateEvents === true ? ['Create'] : []),
      ...(webhook.isSubscribedToUpdateEvents === true ? ['Update'] : []),
      ...(webhook.isSubscribedToDeleteEvents === true ? ['Delete'] : []),
    ],
    fields: [
      ...sentFields(known.system, fields, ({ fieldID }) => fieldID),
      ...sentFields(known.userDefined, userDefined, ({ udfFieldID }) => udfFieldID),
    ],
  };
}

/** The fields that a webhook subscribes to or always displays, in the order of the metadata. */
function sentFields<Child extends { isSubscribedField?: boolean; isDisplayAlwaysField?: boolean }>(
  known: ReadonlyMap<number, KnownField>,
  children: readonly Child[],
  numberOf: (child: Child) => number | undefined,
): FieldShape[] {
  const sent = new Map(
    children
      .filter((child) => child.isSubscribedField === true || child.isDisplayAlwaysField === true)
      .map((child) => [numberOf(child), child.isDisplayAlwaysField === true]),
  );
  return [...known].flatMap(([number, field]) => {
    const isAlwaysDisplayed = sent.get(number);
    return isAlwaysDisplayed === undefined ? [] : [{ ...field, isAlwaysDisplayed }];
  });
}

function fieldOf(
  key: string,
  field: Pick<FieldInformation, 'description' | 'dataType' | 'isRequired' | 'isPickList' | 'picklistValues'>,
) {
  const { description, dataType, isRequired, isPickList, picklistValues } = field;
  const picklist = (picklistValues ?? []).map(({ value, label }) => ({ value, label }));
  return {
    key,
    description,
    dataType,
    isNullable: !isRequired,
    isPicklist: isPickList || dataType === 'list',
    picklist,
  };
}

const singular = (collection: WebhookCollection) => collection.replace(/s$/u, '');
const fieldsPath = (collection: WebhookCollection) =>
  `/v1.0/${singular(collection)}Fields` as '/v1.0/CompanyWebhookFields';
const udfFieldsPath = (collection: WebhookCollection) =>
  `/v1.0/${singular(collection)}UdfFields` as '/v1.0/CompanyWebhookUdfFields';

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

async function collected<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
}
