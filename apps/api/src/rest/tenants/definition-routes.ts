import { Problem } from '@callout/domain/problem';
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
import {
  createDefinition,
  findDefinition,
  removeDefinition,
  updateDefinition,
  type UdfDefinition,
} from '@callout/tenancy/udf-definitions';
import { actorOf } from '../../http/auth/caller.ts';
import type { ApiContext } from '../../api-context.ts';
import { item, itemId } from '../../http/api-response.ts';
import { tagOfValues } from '../../http/conditional/entity-tag.ts';
import { versionedWrite, withTag } from '../../http/conditional/preconditions.ts';
import type { EndpointAction } from '../../http/route/endpoint.ts';
import { knownId, MAX_SMALL_ID, optionalPathId, pathId } from '../../http/route/path-id.ts';
import { readUpdate } from '../../http/route/read-update.ts';
import { refuseWhenStrict } from '../../http/route/strict.ts';
import { rights } from '../../http/auth/rights.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { addMetadataRoutes, by, type Metadata } from '../metadata/metadata-routes.ts';
import type { Queried } from '../query/queried.ts';
import { addCollectionRoutes } from '../query/query-routes.ts';
import { rowItem, tableRows } from '../query/table-rows.ts';
import { describeDefinitions } from './definition-operations.ts';

const COLLECTION = 'UserDefinedFieldDefinitions';

/** The user-defined fields of a tenant's entities. */
export function addDefinitionRoutes(add: AddRoute, api: ApiContext): void {
  const patch = update(api);
  const { read: readers, write: writers } = rights.userDefinedFieldDefinitions;
  const path = `/${COLLECTION}`;
  const { described, operations: schemas } = describeDefinitions(api.catalogue, COLLECTION);
  const metadata: Metadata = {
    name: 'UserDefinedFieldDefinition',
    access: { create: by(writers), query: by(readers), update: by(writers), delete: by(writers) },
    fields: () => metadataOf(udfDefinitionFieldsOf(api.catalogue)),
  };
  addMetadataRoutes(add, path, { metadata, described });
  addCollectionRoutes(add, path, { queried: queriedDefinitions(api), described }, api, {
    POST: { ...create(api), schema: schemas.create },
    PATCH: { ...patch, schema: schemas.update.byBody },
  });
  add(`${path}/:id`, {
    GET: { ...read(api), schema: schemas.read },
    PATCH: { ...patch, schema: schemas.update.byPath },
    DELETE: { ...remove(api), schema: schemas.remove },
  });
}

function queriedDefinitions(api: ApiContext): Queried {
  const fields = metadataOf(udfDefinitionFieldsOf(api.catalogue));
  const collection = defineCollection(COLLECTION, fields);
  return {
    roles: rights.userDefinedFieldDefinitions.read,
    rowsFor: ({ caller: { tenantId } }) =>
      tableRows(api, collection, udfDefinitionTable, { tenantId }, (row) => ({
        ...rowItem(fields, row),
        listValues: JSON.parse(row.fields['listValues'] ?? '[]') as unknown,
      })),
  };
}

function create(api: ApiContext): EndpointAction {
  return {
    roles: rights.userDefinedFieldDefinitions.write,
    maxBodyBytes: api.config.MAX_BODY_BYTES,
    async handle(call) {
      const { caller, body } = call;
      const definition = parseUdfDefinitionCreate(body, api.catalogue);
      const unknownNames = unknownKeysOf(body, knownUdfDefinitionKeys);
      refuseWhenStrict(call, unknownNames);
      const { watch, tagged } = versionedWrite({}, definitionTag);
      const { tenantId } = caller;
      const id = await createDefinition(api.database, tenantId, definition, COLLECTION, actorOf(caller), watch);
      return tagged(itemId(id, [], unknownNames));
    },
  };
}

function update(api: ApiContext): EndpointAction {
  return {
    roles: rights.userDefinedFieldDefinitions.write,
    maxBodyBytes: api.config.MAX_BODY_BYTES,
    async handle(call) {
      const { caller, params, body } = call;
      const exists = async (id: number) => (await findDefinition(api.database, caller.tenantId, id)) !== undefined;
      const unknownNames = unknownKeysOf(body, knownUdfDefinitionKeys);
      const change = await readUpdate({ params, body, exists }, () => {
        const read = parseUdfDefinitionPatch(body, optionalPathId(params['id']));
        refuseWhenStrict(call, unknownNames);
        return read;
      });
      const { watch, tagged } = versionedWrite(call.preconditions, definitionTag);
      const changed = (stored: UdfDefinition) => {
        const entity = api.catalogue.byEntityType(stored.entityType);
        if (entity === undefined) throw new Error(`the catalogue has no entity ${stored.entityType}`);
        return changedUdfDefinition({ ...stored, listValues: stored.picklistValues }, change, entity);
      };
      await updateDefinition(api.database, caller.tenantId, knownId(change.id), changed, actorOf(caller), watch);
      return tagged(itemId(change.id, [], unknownNames));
    },
  };
}

function read(api: ApiContext): EndpointAction {
  return {
    roles: rights.userDefinedFieldDefinitions.read,
    async handle({ caller, params }) {
      const definition = await findDefinition(api.database, caller.tenantId, pathId(params['id'], MAX_SMALL_ID));
      if (definition === undefined) throw Problem.notFound();
      return withTag(item(definitionItem(definition)), definitionTag(definition));
    },
  };
}

function remove(api: ApiContext): EndpointAction {
  return {
    roles: rights.userDefinedFieldDefinitions.write,
    async handle({ caller, params, preconditions }) {
      const id = pathId(params['id'], MAX_SMALL_ID);
      const { watch } = versionedWrite(preconditions, definitionTag);
      await removeDefinition(api.database, caller.tenantId, id, actorOf(caller), watch);
      return itemId(id);
    },
  };
}

function definitionItem({ id, entityType, name, label, dataType, picklistValues }: UdfDefinition) {
  return { id, entityType, name, label, dataType, listValues: picklistValues };
}

/** The entity tag of a definition. A read shows all writable values: equal values are one version. */
const definitionTag = (definition: UdfDefinition) => tagOfValues(definitionItem(definition));
