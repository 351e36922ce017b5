import type { FieldMetadata } from '@callout/domain/metadata/field-metadata';
import type { TestApi } from '../../fixtures/test-api.ts';
import type { TestCredential } from '../../fixtures/test-tenant.ts';

/** The keys of every field's description. */
export const fieldKeys = [
  'name',
  'description',
  'dataType',
  'length',
  'isRequired',
  'isReadOnly',
  'isQueryable',
  'isReference',
  'referenceEntityType',
  'isPickList',
  'picklistValues',
  'defaultValue',
  'picklistParentValueField',
  'isSupportedWebhookField',
];

/** The fields in a collection's metadata. */
export async function describedFields(api: TestApi, as: TestCredential, path: string): Promise<FieldMetadata[]> {
  const { body } = await api.call('GET', `${path}/entityInformation/fields`, { as });
  return (body as { fields: FieldMetadata[] }).fields;
}
