import type { EntityDefinition } from '@callout/core';
import type { RecordSearch } from '@callout/db';
import { rights } from '../../http/auth/rights.ts';
import type { Queried } from '../../query/queried.ts';
import { userDefinedFieldsOf, type UserDefinedFieldDeps } from '../../tenants/udf/user-defined-fields.ts';
import { recordItem } from './record-item.ts';

export interface RecordQueryDeps extends UserDefinedFieldDeps {
  readonly recordSearch: RecordSearch;
}

/** The records of an entity, with the user-defined fields of the caller's tenant. */
export function queriedRecords(deps: RecordQueryDeps, entity: EntityDefinition): Queried {
  const { entityType } = entity;
  return {
    roles: rights.records.read,
    async rowsFor({ caller: { tenantId } }) {
      const udfs = await userDefinedFieldsOf(deps, entity, tenantId);
      const records = { tenantId, entityType };
      return {
        collection: {
          name: entity.collection,
          fieldByName: (name) => entity.fieldByName(name),
          ...(entity.hasUserDefinedFields && { udfByName: (nameOrLabel: string) => udfs.find(nameOrLabel) }),
        },
        async page(query, position) {
          const page = await deps.recordSearch.page(records, query, position);
          return { ...page, items: page.items.map((record) => recordItem(entity, udfs, record)) };
        },
        count: (query) => deps.recordSearch.count(records, query),
      };
    },
  };
}
