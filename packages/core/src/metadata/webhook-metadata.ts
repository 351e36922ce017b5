import type { EntityDefinition } from '../catalogue/catalogue.ts';
import { flagShape } from '../webhook/child-input.ts';
import { fieldNaming, type UdfReference } from '../webhook/child-references.ts';
import { requiredOfCreate, requiredOfPut, webhookShape } from '../webhook/webhook.ts';
import {
  describeField,
  describeReference,
  describeShape,
  idMetadata,
  picklistOf,
  type FieldMetadata,
} from './field-metadata.ts';

const MAX_GUID_LENGTH = 100;

/**
 * The fields of a webhook, in the order in which items have them. Required is what a create or a full update must have. The
 * secret cannot be asked for, since it is stored encrypted.
 */
export const webhookMetadata: readonly FieldMetadata[] = [
  idMetadata,
  describeField('webhookGUID', 'string', { length: MAX_GUID_LENGTH, isReadOnly: true }),
  ...describeShape(webhookShape, [...requiredOfCreate, ...requiredOfPut]).flatMap((field) => {
    if (field.name === 'isActive') return [field, describeField('isReady', 'boolean', { isReadOnly: true })];
    if (field.name !== 'secretKey') return [field];
    const owner = describeReference('ownerResourceID', 'integer', 'Resource', { isReadOnly: true });
    return [owner, { ...field, isQueryable: false }];
  }),
];

/** Where children are reached decides whether a body must name their webhook: under a webhook, the path does. */
export type ChildPlace = 'underWebhook' | 'rootTwin';

/** The fields of a Field record. `fieldID` is a picklist of the fields that webhooks of this entity support. */
export function webhookFieldMetadata(entity: EntityDefinition, place: ChildPlace): FieldMetadata[] {
  const { refusal } = fieldNaming(entity);
  const supported = entity.fields.filter((field) => refusal?.(field) === undefined);
  const entries = supported.map(({ fieldID, payloadKey }) => ({ value: fieldID, label: payloadKey }));
  const fieldID = describeField('fieldID', 'integer', {
    isRequired: true,
    isPickList: true,
    picklistValues: picklistOf(entries, { isSystem: true }),
  });
  return [fieldID, idMetadata, webhookReference(entity, place), ...describeShape(flagShape, [])];
}

/** The fields of a UdfField record. `udfFieldID` is a picklist of the entity's user-defined fields, by their labels. */
export function webhookUdfFieldMetadata(
  entity: EntityDefinition,
  place: ChildPlace,
  udfs: readonly UdfReference[],
): FieldMetadata[] {
  const entries = udfs.map(({ id, label }) => ({ value: id, label }));
  const udfFieldID = describeField('udfFieldID', 'integer', {
    isRequired: true,
    isPickList: true,
    picklistValues: picklistOf(entries, { isSystem: false }),
  });
  return [udfFieldID, idMetadata, webhookReference(entity, place), ...describeShape(flagShape, [])];
}

/** The fields of an ExcludedResource record. */
export function webhookExcludedResourceMetadata(entity: EntityDefinition, place: ChildPlace): FieldMetadata[] {
  const resourceID = describeReference('resourceID', 'integer', 'Resource', { isRequired: true });
  return [resourceID, idMetadata, webhookReference(entity, place)];
}

function webhookReference({ webhookSingular }: EntityDefinition, place: ChildPlace): FieldMetadata {
  return describeReference('webhookID', 'integer', webhookSingular, { isRequired: place === 'rootTwin' });
}
