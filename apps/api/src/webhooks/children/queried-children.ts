import type { EntityDefinition } from '@callout/core/catalogue';
import { metadataOf } from '@callout/core/metadata';
import { defineCollection } from '@callout/core/query';
import { childTablesToSearch } from '@callout/db/search';
import type { WebhookStore } from '@callout/db/webhooks';
import { rights } from '../../http/auth/rights.ts';
import type { Queried } from '../../query/queried.ts';
import { rowItem, tableRows, type TableQueryDeps } from '../../query/table-rows.ts';
import type { ChildKind } from './child-kinds.ts';
import { checkParent, scopeOf } from './child-scope.ts';

/** One kind of children: those of the webhook that the path names or, at the root twin, of all webhooks of the entity. */
export function queriedChildren(
  deps: TableQueryDeps & { readonly webhooks: Pick<WebhookStore, 'find'> },
  entity: EntityDefinition,
  kind: ChildKind,
  twin: string,
): Queried {
  // Place and user-defined fields decide what a body needs and what picklists hold; a query asks for neither.
  const fields = metadataOf(kind.fields(entity, 'rootTwin', []));
  const itemFields = fields.toSorted((one, other) => orderOf(one.name) - orderOf(other.name));
  return {
    roles: rights.webhooks.read,
    async rowsFor(call) {
      await checkParent(deps, call, entity);
      const scope = scopeOf(call, entity);
      const { webhookId } = scope;
      const name = webhookId === undefined ? twin : `${entity.webhookCollection}/${webhookId}/${kind.segment}`;
      const collection = defineCollection(name, fields);
      return tableRows(deps, collection, childTablesToSearch[kind.kind], scope, (row) => rowItem(itemFields, row));
    },
  };
}

/** Items have the webhook first, as reads of one have it; metadata begins with what the child is about. */
function orderOf(name: string): number {
  return name === 'webhookID' ? 0 : 1;
}
