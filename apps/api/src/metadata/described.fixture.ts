import type { FieldMetadata } from '@callout/core/metadata';
import type { TestApi } from '../fixtures/test-api.ts';
import type { TestCredential } from '../fixtures/test-tenant.ts';

/** What every field is described with. */
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
  'picklistParentValueField',
  'isSupportedWebhookField',
];

/** The fields that a collection says it has. */
export async function describedFields(api: TestApi, as: TestCredential, path: string): Promise<FieldMetadata[]> {
  const { body } = await api.call('GET', `${path}/entityInformation/fields`, { as });
  return (body as { fields: FieldMetadata[] }).fields;
}
