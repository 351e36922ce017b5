import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { spacedWords } from '@callout/domain/catalogue/names';
import { recordOperations, type DescribedCollection } from '../../http/operation/collection-operations.ts';
import { capital, namesOf } from '../../http/operation/names.ts';
import { collectionTags } from '../../http/operation/tags.ts';
import { recordSchemas, replacing, updateExample, wholeExample } from '../records/record-operations.ts';

/** The resources of a tenant in the API's description. */
export function describeResources(entity: EntityDefinition) {
  const { record, bodies } = recordSchemas(entity);
  const names = namesOf(entity.collection);
  const described: DescribedCollection = {
    record,
    names,
    tags: collectionTags(spacedWords(entity.singular), {
      name: capital(names.manyInWords),
      group: 'Administer',
      description: 'The people and API users of a tenant.',
    }),
  };
  const operations = recordOperations(described);
  const conflict = 'It would leave the tenant without an admin: this is the last one.';
  return {
    described,
    operations: {
      create: operations.create({ schema: bodies.create, example: wholeExample(entity, 'create') }),
      update: operations.update({ schema: bodies.update, example: updateExample(entity) }, { conflict }),
      replace: operations.replace(
        { schema: bodies.replace, example: wholeExample(entity, 'replace') },
        { ...replacing, conflict },
      ),
      read: operations.read(),
      remove: operations.remove({
        conflict,
        description: 'Its credentials are refused at once, and its webhooks become inactive.',
      }),
    },
  };
}
