import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem/problem';
import { unknownKeysOf } from '@callout/domain/input/unknown-names';
import { metadataOf } from '@callout/domain/metadata/field-metadata';
import {
  changedUdfDefinition,
  knownUdfDefinitionKeys,
  parseUdfDefinitionCreate,
  parseUdfDefinitionPatch,
} from '@callout/domain/metadata/udf-definition';
import { udfDefinitionFieldsOf } from '@callout/domain/metadata/udf-definition-fields';
import { defineCollection } from '@callout/domain/query/collection';
import { udfDefinitionTable } from '@callout/history/search/tables/tables';
import type { UdfDefinition, UdfDefinitionStore } from '@callout/tenancy/udf-definitions';
import { item, itemId } from '../../../http/api-response.ts';
import type { EndpointAction } from '../../../http/route/endpoint.ts';
import { knownId, MAX_SMALL_ID, optionalPathId, pathId } from '../../../http/route/path/path-id.ts';
import { readUpdate } from '../../../http/route/read-update.ts';
import { refuseWhenStrict } from '../../../http/route/strict.ts';
import { rights } from '../../../http/auth/rights.ts';
import type { AddRoute } from '../../../http/route/route-table.ts';
import { addMetadataRoutes, by, type Metadata } from '../../metadata/metadata-routes.ts';
import type { Queried } from '../../query/queried.ts';
import { addCollectionRoutes, type QueryDeps } from '../../query/query-routes.ts';
import { rowItem, tableRows, type TableQueryDeps } from '../../query/table-rows.ts';
import { describeDefinitions } from './definition-operations.ts';

interface DefinitionRouteDeps extends QueryDeps, TableQueryDeps {
  readonly catalogue: Catalogue;
  readonly maxBodyBytes: number;
  readonly definitions: Pick<UdfDefinitionStore, 'create' | 'find' | 'update' | 'remove'>;
}

const COLLECTION = 'UserDefinedFieldDefinitions';

/** The user-defined fields of a tenant's entities. */
export function addDefinitionRoutes(add: AddRoute, deps: DefinitionRouteDeps): void {
  const patch = update(deps);
  const { read: readers, write: writers } = rights.userDefinedFieldDefinitions;
  const path = `/${COLLECTION}`;
  const { described, operations: schemas } = describeDefinitions(deps.catalogue, COLLECTION);
  const metadata: Metadata = {
    name: 'UserDefinedFieldDefinition',
    access: { create: by(writers), query: by(readers), update: by(writers), delete: by(writers) },
    fields: () => metadataOf(udfDefinitionFieldsOf(deps.catalogue)),
  };
  addMetadataRoutes(add, path, { metadata, described });
  addCollectionRoutes(add, path, { queried: queriedDefinitions(deps), described }, deps, {
    POST: { ...create(deps), schema: schemas.create },
    PATCH: { ...patch, schema: schemas.update.byBody },
  });
  add(`${path}/:id`, {
    GET: { ...read(deps), schema: schemas.read },
    PATCH: { ...patch, schema: schemas.update.byPath },
    DELETE: { ...remove(deps), schema: schemas.remove },
  });
}

function queriedDefinitions(deps: DefinitionRouteDeps): Queried {
  const fields = metadataOf(udfDefinitionFieldsOf(deps.catalogue));
  const collection = defineCollection(COLLECTION, fields);
  return {
    roles: rights.userDefinedFieldDefinitions.read,
    rowsFor: ({ caller: { tenantId } }) =>
      tableRows(deps, collection, udfDefinitionTable, { tenantId }, (row) => ({
        ...rowItem(fields, row),
        listValues: JSON.parse(row.fields['listValues'] ?? '[]') as unknown,
      })),
  };
}

function create(deps: DefinitionRouteDeps): EndpointAction {
  return {
    roles: rights.userDefinedFieldDefinitions.write,
    maxBodyBytes: deps.maxBodyBytes,
    async handle(call) {
      const { caller, body } = call;
      const definition = parseUdfDefinitionCreate(body, deps.catalogue);
      const unknownNames = unknownKeysOf(body, knownUdfDefinitionKeys);
      refuseWhenStrict(call, unknownNames);
      return itemId(await deps.definitions.create(caller.tenantId, definition, COLLECTION), [], unknownNames);
    },
  };
}

function update(deps: DefinitionRouteDeps): EndpointAction {
  return {
    roles: rights.userDefinedFieldDefinitions.write,
    maxBodyBytes: deps.maxBodyBytes,
    async handle(call) {
      const { caller, params, body } = call;
      const exists = async (id: number) => (await deps.definitions.find(caller.tenantId, id)) !== undefined;
      const unknownNames = unknownKeysOf(body, knownUdfDefinitionKeys);
      const change = await readUpdate({ params, body, exists }, () => {
        const read = parseUdfDefinitionPatch(body, optionalPathId(params['id']));
        refuseWhenStrict(call, unknownNames);
        return read;
      });
      await deps.definitions.update(caller.tenantId, knownId(change.id), (stored) => {
        const entity = deps.catalogue.byEntityType(stored.entityType);
        if (entity === undefined) throw new Error(`the catalogue has no entity ${stored.entityType}`);
        return changedUdfDefinition({ ...stored, listValues: stored.picklistValues }, change, entity);
      });
      return itemId(change.id, [], unknownNames);
    },
  };
}

function read(deps: DefinitionRouteDeps): EndpointAction {
  return {
    roles: rights.userDefinedFieldDefinitions.read,
    async handle({ caller, params }) {
      const definition = await deps.definitions.find(caller.tenantId, pathId(params['id'], MAX_SMALL_ID));
      if (definition === undefined) throw Problem.notFound();
      return item(definitionItem(definition));
    },
  };
}

function remove(deps: DefinitionRouteDeps): EndpointAction {
  return {
    roles: rights.userDefinedFieldDefinitions.write,
    async handle({ caller, params }) {
      const id = pathId(params['id'], MAX_SMALL_ID);
      await deps.definitions.remove(caller.tenantId, id, caller.personId);
      return itemId(id);
    },
  };
}

function definitionItem({ id, entityType, name, label, dataType, picklistValues }: UdfDefinition) {
  return { id, entityType, name, label, dataType, listValues: picklistValues };
}
