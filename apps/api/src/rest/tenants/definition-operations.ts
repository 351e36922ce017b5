import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { spacedWords } from '@callout/domain/catalogue/names';
import { udfDefinitionFieldsOf } from '@callout/domain/metadata/udf-definition-fields';
import { recordOperations, type DescribedCollection } from '../../http/operation/collection-operations.ts';
import { bodySchema, recordSchema } from '../../http/operation/field-schemas.ts';
import { capital, namesOf } from '../../http/operation/names.ts';
import { collectionTags } from '../../http/operation/tags.ts';

/** The definitions of user-defined fields in the API's description. */
export function describeDefinitions(catalogue: Catalogue, collection: string) {
  const fields = udfDefinitionFieldsOf(catalogue);
  const names = namesOf(collection);
  const described: DescribedCollection = {
    record: recordSchema(names.one, fields),
    hasVersions: true,
    names,
    tags: collectionTags(spacedWords(names.one), {
      name: capital(names.manyInWords),
      group: 'Administer',
      description: 'The fields that a tenant adds to its records.',
    }),
  };
  const operations = recordOperations(described);
  const conflict = 'The name or label is that of another field of the entity.';
  const [able] = catalogue.entities.filter((entity) => entity.hasUserDefinedFields);
  return {
    described,
    operations: {
      create: operations.create(
        {
          schema: bodySchema(`${names.one}Create`, fields, 'create'),
          example: {
            entityType: able?.entityType ?? '',
            name: 'Tier',
            dataType: 'list',
            listValues: [
              { value: 1, label: 'Gold' },
              { value: 2, label: 'Silver' },
            ],
          },
        },
        { conflict },
      ),
      update: operations.update(
        { schema: bodySchema(`${names.one}Update`, fields, 'update'), example: { label: 'Service tier' } },
        { conflict },
      ),
      read: operations.read(),
      remove: operations.remove({ description: 'The webhook fields that name it are deleted too.' }),
    },
  };
}
