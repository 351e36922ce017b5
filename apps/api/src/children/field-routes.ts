import { parseFieldCreate, Problem, type Catalogue, type EntityDefinition } from '@callout/core';
import type { FieldStore, StoredField } from '@callout/db';
import { item, itemId, onePage } from '../http/answer.ts';
import type { Call, Endpoint, Methods } from '../http/endpoint.ts';
import { MAX_SMALL_ID, pathId } from '../http/path-id.ts';
import type { AddRoute } from '../http/route-table.ts';
import { childCollections } from '../webhooks/collections.ts';

export interface FieldRouteDeps {
  readonly catalogue: Catalogue;
  readonly maxBodyBytes: number;
  readonly fields: FieldStore;
}

/** The most records a page can hold. A webhook has one Field record per field at most, so all are on one. */
const PAGE_SIZE = 500;

/** The Field records of a webhook, such as `/CompanyWebhooks/3/Fields`. */
export function addFieldRoutes(add: AddRoute, deps: FieldRouteDeps): void {
  for (const entity of deps.catalogue.entities.filter((one) => one.supportsWebhookCallouts)) {
    const path = `/${entity.webhookCollection}/:parentId/Fields`;
    add(path, collection(deps, entity));
    add(`${path}/:id`, { GET: read(deps, entity) });
  }
}

function collection(deps: FieldRouteDeps, entity: EntityDefinition): Methods {
  const { fields: collectionName } = childCollections(entity);
  return {
    POST: {
      roles: ['integrator', 'admin'],
      maxBodyBytes: deps.maxBodyBytes,
      async handle(call) {
        const parent = parentOf(call, entity);
        // Fields name no user-defined field.
        const field = parseFieldCreate(call.body, { entity, userDefinedFields: [], parentId: parent.webhookId });
        return itemId(await deps.fields.create(parent, field, collectionName));
      },
    },
    GET: {
      roles: ['integrator', 'admin'],
      async handle(call) {
        const fields = await deps.fields.list(parentOf(call, entity));
        if (fields === undefined) throw Problem.notFound();
        return onePage(fields.map(fieldItem), PAGE_SIZE);
      },
    },
  };
}

function read(deps: FieldRouteDeps, entity: EntityDefinition): Endpoint {
  return {
    roles: ['integrator', 'admin'],
    async handle(call) {
      const field = await deps.fields.find(parentOf(call, entity), pathId(call.params['id'], MAX_SMALL_ID));
      if (field === undefined) throw Problem.notFound();
      return item(fieldItem(field));
    },
  };
}

function parentOf({ caller, params }: Call, { entityType }: EntityDefinition) {
  return { tenantId: caller.tenantId, entityType, webhookId: pathId(params['parentId'], MAX_SMALL_ID) };
}

function fieldItem(field: StoredField) {
  return {
    id: field.id,
    webhookID: field.webhookId,
    fieldID: field.fieldId,
    isSubscribedField: field.isSubscribedField,
    isDisplayAlwaysField: field.isDisplayAlwaysField,
  };
}
