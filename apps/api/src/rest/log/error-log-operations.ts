import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { spacedWords } from '@callout/domain/catalogue/names';
import { describedErrorLogFields } from '@callout/domain/metadata/error-log-fields';
import { recordOperations, type DescribedCollection } from '../../http/operation/collection-operations.ts';
import { recordSchema } from '../../http/operation/field-schemas.ts';
import { namesOf } from '../../http/operation/names.ts';
import { collectionTags } from '../../http/operation/tags.ts';

/** The error logs in the API's description. */
export function describeErrorLogs(collection: string, catalogue: Catalogue) {
  const names = namesOf(collection);
  const described: DescribedCollection = {
    record: recordSchema(names.one, describedErrorLogFields(catalogue)),
    names,
    tags: collectionTags(spacedWords(names.one), {
      name: 'Error logs',
      group: 'Follow deliveries',
      place: 3,
      description: 'A row for each callout that used up its attempts.',
    }),
  };
  const operations = recordOperations(described);
  return {
    described,
    operations: {
      read: operations.read({
        description: 'Rows of webhooks of another owner are 404, unless the caller is an admin.',
      }),
      remove: operations.remove(),
    },
  };
}
