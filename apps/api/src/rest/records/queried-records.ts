import type { Query } from '@callout/domain/query/condition';
import type { RecordSearch } from '@callout/history/search/records/record-search';
import { rights } from '../../http/auth/rights.ts';
import type { Queried } from '../query/queried.ts';
import { userDefinedFieldsOf, type UserDefinedFieldDeps } from '../metadata/user-defined-fields.ts';
import { recordItem } from './record-item.ts';
import { parentInPath, type FindRecord, type ParentInPath, type RecordPlace } from './record-place.ts';

export interface RecordQueryDeps extends UserDefinedFieldDeps, FindRecord {
  readonly recordSearch: RecordSearch;
}

/** The records of a place, with the user-defined fields of the caller's tenant. */
export function queriedRecords(deps: RecordQueryDeps, place: RecordPlace): Queried {
  const { entity } = place;
  const { entityType } = entity;
  return {
    roles: rights.records.read,
    async rowsFor(call) {
      const { tenantId } = call.caller;
      const parent = await parentInPath(deps, call, place);
      const udfs = await userDefinedFieldsOf(deps, entity, tenantId);
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
          const page = await deps.recordSearch.page(records, within(parent, query), position);
          return { ...page, items: page.items.map((record) => recordItem(entity, udfs, record)) };
        },
        count: (query) => deps.recordSearch.count(records, within(parent, query)),
      };
    },
  };
}

/** A query among the records of one parent. Paging tokens contain the caller's query without this condition. */
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
