import type { ChildPlace, EntityDefinition } from '@callout/core';
import { rights } from '../http/rights.ts';
import { by, type Metadata } from '../metadata/metadata-routes.ts';
import { loadUserDefinedFields, type UserDefinedFieldDeps } from '../udf/user-defined-fields.ts';
import type { ChildKind } from './child-kinds.ts';

/**
 * What a collection of children says about itself: the same under a webhook and at the root, whether or not this path
 * takes every operation, because it speaks of the records. Only what a body must have differs: at the root its webhook.
 */
export function childMetadata(
  deps: UserDefinedFieldDeps,
  entity: EntityDefinition,
  kind: ChildKind,
  collection: string,
  place: ChildPlace,
): Metadata {
  const { read, write } = rights.webhooks;
  return {
    name: collection.replace(/s$/, ''),
    access: {
      create: by(write),
      query: by(read),
      update: kind.parseUpdate === null ? null : by(write),
      delete: by(write),
    },
    async fields({ tenantId }) {
      const udfs = kind.namesUserDefinedFields ? (await loadUserDefinedFields(deps, tenantId))(entity).all : [];
      return kind.describe(entity, place, udfs);
    },
  };
}
