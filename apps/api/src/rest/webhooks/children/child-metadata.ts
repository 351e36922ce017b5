import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { metadataOf } from '@callout/domain/metadata/field-metadata';
import type { ChildPlace } from '@callout/webhooks/input/child-fields-of-entity';
import type { ApiContext } from '../../../api-context.ts';
import { rights } from '../../../http/auth/rights.ts';
import { by, type Metadata } from '../../metadata/metadata-routes.ts';
import { loadUserDefinedFields } from '../../events/user-defined-fields.ts';
import type { ChildKind } from './child-kinds.ts';

/**
 * The metadata of a collection of children: the operations of its path. At the root children can be read and created,
 * and a body must name their webhook.
 */
export function childMetadata(
  api: ApiContext,
  entity: EntityDefinition,
  kind: ChildKind,
  collection: string,
  place: ChildPlace,
): Metadata {
  const { read, write } = rights.webhooks;
  const isAtRoot = place === 'rootTwin';
  return {
    name: collection.replace(/s$/, ''),
    access: {
      create: by(write),
      query: by(read),
      update: isAtRoot || kind.parseUpdate === null ? null : by(write),
      delete: isAtRoot ? null : by(write),
    },
    async fields({ tenantId }) {
      const udfs = kind.namesUserDefinedFields ? (await loadUserDefinedFields(api, tenantId))(entity).all : [];
      return metadataOf(kind.fields(entity, place, udfs));
    },
  };
}
