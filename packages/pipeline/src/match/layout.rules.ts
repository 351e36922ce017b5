import { hash } from 'node:crypto';
import type { DataType, EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { sourceOf, type CloudEventOrigin, type WebhookPlace } from '@callout/domain/callout/cloud-event';
import type { PayloadLayout } from '@callout/domain/callout/payload';
import type { TypedField } from '@callout/domain/callout/typed-value';
import type { Subscription } from './match.rules.ts';

/**
 * What the callouts of a subscription show. A field that the catalogue lacks is left out. Types and labels are in it only
 * where the format has them, so the layout of a webhook that asks for nothing is always the same.
 */
export function layoutOf(subscription: Subscription, entity: EntityDefinition): PayloadLayout {
  const { format = 'reference', includePreviousValues = false, place = null } = subscription.payload ?? {};
  const isTyped = format !== 'reference';
  const layout: PayloadLayout = {
    fields: subscription.fields.flatMap(({ name, isSubscribed, isDisplayAlways }) => {
      const field = entity.fieldByName(name);
      if (field === undefined || !(isSubscribed || isDisplayAlways)) return [];
      const typed = isTyped ? typedField(field.dataType, field.isPickList ? field.picklistValues : undefined) : {};
      return [{ name, key: field.payloadKey, isSubscribed, isDisplayAlways, ...typed }];
    }),
    udfFields: subscription.udfFields.flatMap(({ udfId, label, isSubscribed, isDisplayAlways, ...udf }) => {
      if (!(isSubscribed || isDisplayAlways)) return [];
      const { dataType = 'string', listValues } = udf;
      const typed = isTyped ? typedField(dataType, dataType === 'list' ? (listValues ?? []) : undefined) : {};
      return [{ udfId, key: label, isSubscribed, isDisplayAlways, ...typed }];
    }),
  };
  return {
    ...layout,
    ...(includePreviousValues && { withPrevious: true }),
    ...(isTyped && { format }),
    ...(place !== null && { origin: originOf(subscription, place, entity) }),
  };
}

/** @param picklist the values of a picklist, perhaps none that are known; undefined: the field is none. */
function typedField(
  dataType: DataType,
  picklist: readonly { readonly value: string; readonly label: string }[] | undefined,
): TypedField {
  const type = jsonTypes[dataType];
  return { ...(type && { type }), ...(picklist && { labels: picklist.map(({ value, label }) => [value, label]) }) };
}

/** JSON types of the values that are not text. */
const jsonTypes: Partial<Record<DataType, 'number' | 'boolean'>> = {
  integer: 'number',
  long: 'number',
  double: 'number',
  decimal: 'number',
  list: 'number',
  boolean: 'boolean',
};

/** What names the webhook and its records in CloudEvents. */
function originOf(
  { webhookGuid }: Subscription,
  place: WebhookPlace,
  { singular, collection }: EntityDefinition,
): CloudEventOrigin {
  const entity = singular.charAt(0).toLowerCase() + singular.slice(1);
  return { source: sourceOf(place, webhookGuid), entity, collection };
}

/** A layout as it is stored, once per webhook. */
export interface StoredLayout {
  /** 64 bits of the SHA-256 of `json`, as a decimal: a layout is never changed, so its content names it. */
  readonly id: string;
  readonly json: string;
  readonly layout: PayloadLayout;
}

const stored = new WeakMap<Subscription, StoredLayout>();

/** The layout of a subscription. Made once for each: matching asks for it with each event. */
export function storedLayoutOf(subscription: Subscription, entity: EntityDefinition): StoredLayout {
  const known = stored.get(subscription);
  if (known !== undefined) return known;
  const layout = layoutOf(subscription, entity);
  const json = JSON.stringify(layout);
  const made = { id: hash('sha256', json, 'buffer').readBigInt64BE().toString(), json, layout };
  stored.set(subscription, made);
  return made;
}
