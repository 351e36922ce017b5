import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { picklistOf, type FieldTable } from '@callout/domain/metadata/field';
import { childFields } from './child-fields.ts';
import { fieldNaming, type UdfReference } from './child-references.ts';

/** Where children are reached decides whether a body must name their webhook: under a webhook, the path does. */
export type ChildPlace = 'underWebhook' | 'rootTwin';

/** The fields of a Field record. `fieldID` is a picklist of the fields that webhooks of this entity support. */
export function webhookFieldFields(entity: EntityDefinition, place: ChildPlace): FieldTable {
  const { refusal } = fieldNaming(entity);
  const supported = entity.fields.filter((field) => refusal?.(field) === undefined);
  const entries = supported.map(({ fieldID, payloadKey }) => ({ value: fieldID, label: payloadKey }));
  const { fields } = childFields;
  const fieldID = { ...fields.fieldID, picklistValues: picklistOf(entries, { isSystem: true }) };
  return { ...fields, fieldID, webhookID: webhookReference(entity, place) };
}

/** The fields of a UdfField record. `udfFieldID` is a picklist of the entity's user-defined fields, by their labels. */
export function webhookUdfFieldFields(
  entity: EntityDefinition,
  place: ChildPlace,
  udfs: readonly UdfReference[],
): FieldTable {
  const entries = udfs.map(({ id, label }) => ({ value: id, label }));
  const { udfFields } = childFields;
  const udfFieldID = { ...udfFields.udfFieldID, picklistValues: picklistOf(entries, { isSystem: false }) };
  return { ...udfFields, udfFieldID, webhookID: webhookReference(entity, place) };
}

/** The fields of an ExcludedResource record. */
export function webhookExcludedResourceFields(entity: EntityDefinition, place: ChildPlace): FieldTable {
  return { ...childFields.excludedResources, webhookID: webhookReference(entity, place) };
}

function webhookReference({ webhookSingular }: EntityDefinition, place: ChildPlace) {
  const requiredOf = place === 'rootTwin' ? (['create'] as const) : [];
  return { ...childFields.fields.webhookID, referenceEntityType: webhookSingular, requiredOf };
}
