import type { Query } from '@callout/domain/query/condition';
import type { ApiContext } from '../../api-context.ts';
import { rights } from '../../http/auth/rights.ts';
import type { Queried } from '../query/queried.ts';
import { userDefinedFieldsOf } from '../events/user-defined-fields.ts';
import { recordItem } from './record-item.ts';
import { parentInPath, type ParentInPath, type RecordPlace } from './record-place.ts';

/** The records of a place, with the user-defined fields of the caller's tenant. */
export function queriedRecords(api: ApiContext, place: RecordPlace): Queried {
  const { entity } = place;
  const { entityType } = entity;
  return {
    roles: rights.records.read,
    async rowsFor(call) {
      const { tenantId } = call.caller;
      const parent = await parentInPath(api, call, place);
      const udfs = await userDefinedFieldsOf(api, entity, tenantId);
      const records = { tenantId, entityType };
      return {
        collection: {
          name: parent === undefined ? entity.collection : `${parent.entity.collection}/${parent.id}/${parent.segment}`,
          fieldByName: (name) => entity.fieldByName(name),
          get fieldNames() {
            return entity.fields.map((field) => field.name);
          },
          ...(entity.hasUserDefinedFields && { udfByName: (nameOrLabel: string) => udfs.find(nameOrLabel) }),
        },
        async page(query, position) {
          const page = await api.recordSearch.page(records, within(parent, query), position);
          return { ...page, items: page.items.map((record) => recordItem(entity, udfs, record)) };
        },
        count: (query) => api.recordSearch.count(records, within(parent, query)),
      };
    },
  };
}

/**
 * A query among the records of a parent. Paging tokens contain the caller's query without the condition on the parent.
 */
function within(parent: ParentInPath | undefined, query: Query): Query {
  if (parent === undefined) return query;
  const { name, dataType } = parent.field;
  const isOwn = {
    kind: 'oneOf',
    field: { name, dataType, udfId: null },
    values: [String(parent.id)],
    isNegated: false,
  } as const;
  return { ...query, filter: { kind: 'all', of: [isOwn, query.filter] } };
}
