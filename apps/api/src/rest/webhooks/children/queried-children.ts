import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { metadataOf } from '@callout/domain/metadata/field-metadata';
import { defineCollection } from '@callout/domain/query/collection';
import { childTablesToSearch } from '@callout/history/search/tables/tables';
import type { ApiContext } from '../../../api-context.ts';
import { rights } from '../../../http/auth/rights.ts';
import type { Queried } from '../../query/queried.ts';
import { rowItem, tableRows } from '../../query/table-rows.ts';
import type { ChildKind } from './child-kinds.ts';
import { checkParent, scopeOf } from './child-scope.ts';

/** One kind of children: those of the webhook in the path or, at the root twin, of all webhooks of the entity. */
export function queriedChildren(api: ApiContext, entity: EntityDefinition, kind: ChildKind, twin: string): Queried {
  // Place and user-defined fields matter to bodies and picklists only; a query needs neither.
  const fields = metadataOf(kind.fields(entity, 'rootTwin', []));
  const itemFields = fields.toSorted((one, other) => orderOf(one.name) - orderOf(other.name));
  return {
    roles: rights.webhooks.read,
    async rowsFor(call) {
      await checkParent(api, call, entity);
      const scope = scopeOf(call, entity);
      const { webhookId } = scope;
      const name = webhookId === undefined ? twin : `${entity.webhookCollection}/${webhookId}/${kind.segment}`;
      const collection = defineCollection(name, fields);
      return tableRows(api, collection, childTablesToSearch[kind.kind], scope, (row) => rowItem(itemFields, row));
    },
  };
}

/** Items begin with the webhook, as reads of one do; metadata begins with the subject of the child. */
function orderOf(name: string): number {
  return name === 'webhookID' ? 0 : 1;
}
