import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { spacedWords } from '@callout/domain/catalogue/names';
import { recordOperations, type DescribedCollection } from '../../http/operation/collection-operations.ts';
import { capital, namesOf } from '../../http/operation/names.ts';
import { collectionTags } from '../../http/operation/tags.ts';
import { recordSchemas, replacing, updateExample, wholeExample } from '../records/record-operations.ts';
import { Problem } from '@callout/domain/problem';
import type { FieldValues } from '@callout/domain/values/values';
import { isMailAddress } from '@callout/domain/mail/mail-address';
import { recordMetadata } from '@callout/domain/metadata/record-fields';
import { resourceTable } from '@callout/history/search/tables/tables';
import { removeResource, updateResource } from '@callout/tenancy/resource-changes';
import { createResource, findResource, type StoredResource } from '@callout/tenancy/resources';
import { actorOf } from '../../http/auth/caller.ts';
import type { ApiContext } from '../../api-context.ts';
import { item, itemId } from '../../http/api-response.ts';
import { tagOfValues } from '../../http/conditional/entity-tag.ts';
import { versionedWrite, withTag } from '../../http/conditional/preconditions.ts';
import type { EndpointAction } from '../../http/route/endpoint.ts';
import { knownId, MAX_SMALL_ID, pathId } from '../../http/route/path-id.ts';
import { readUpdate } from '../../http/route/read-update.ts';
import { refuseWhenStrict } from '../../http/route/strict.ts';
import { checkRecipient } from '../webhooks/mail-recipients.ts';
import { rights } from '../../http/auth/rights.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { addMetadataRoutes, by, type Metadata } from '../metadata/metadata-routes.ts';
import { addCollectionRoutes } from '../query/query-routes.ts';
import { tableRows } from '../query/table-rows.ts';
import type { Queried } from '../query/queried.ts';
import {
  readRecordCreate,
  readRecordPatch,
  readRecordPut,
  recordIdOf,
  type RecordBody,
} from '../records/record-body.ts';
import { recordItem } from '../records/record-item.ts';
import { noUserDefinedFields } from '../events/user-defined-fields.ts';

const COLLECTION = 'Resources';

/** The persons and API users of a tenant. Operators manage their rights and credentials. */
export function addResourceRoutes(add: AddRoute, api: ApiContext): void {
  const entity = api.catalogue.byCollection(COLLECTION);
  if (entity === undefined) return;
  const path = `/${entity.collection}`;
  const { read: readers, write: writers } = rights.resources;
  const patch = update(api, entity, (body) => readRecordPatch(entity, noUserDefinedFields(entity), body));
  const put = update(api, entity, (body) => readRecordPut(entity, noUserDefinedFields(entity), body));
  const { described, operations: schemas } = describeResources(entity);
  const metadata: Metadata = {
    name: entity.singular,
    access: { create: by(writers), query: by(readers), update: by(writers), delete: by(writers) },
    fields: () => recordMetadata(entity),
  };
  addMetadataRoutes(add, path, { metadata, described });
  addCollectionRoutes(add, path, { queried: queriedResources(api, entity), described }, api, {
    POST: { ...create(api, entity), schema: schemas.create },
    PATCH: { ...patch, schema: schemas.update.byBody },
    PUT: { ...put, schema: schemas.replace.byBody },
  });
  add(`${path}/:id`, {
    GET: { ...read(api, entity), schema: schemas.read },
    PATCH: { ...patch, schema: schemas.update.byPath },
    PUT: { ...put, schema: schemas.replace.byPath },
    DELETE: { ...remove(api, entity), schema: schemas.remove },
  });
}

function queriedResources(api: ApiContext, entity: EntityDefinition): Queried {
  const udfs = noUserDefinedFields(entity);
  const fieldNames = entity.fields.map((field) => field.name);
  const collection = { name: entity.collection, fieldNames, fieldByName: entity.fieldByName.bind(entity) };
  return {
    roles: rights.resources.read,
    rowsFor: ({ caller: { tenantId } }) =>
      tableRows(api, collection, resourceTable, { tenantId }, (row) =>
        recordItem(entity, udfs, { ...row, udfFields: {} }),
      ),
  };
}

function create(api: ApiContext, entity: EntityDefinition): EndpointAction {
  const udfs = noUserDefinedFields(entity);
  return {
    roles: rights.resources.write,
    maxBodyBytes: api.config.MAX_BODY_BYTES,
    async handle(call) {
      const { caller, body } = call;
      const { fields, unknownNames } = readRecordCreate(entity, udfs, body, { now: new Date(), takesId: false });
      refuseMailAddress(api, fields);
      refuseWhenStrict(call, unknownNames);
      const { watch, tagged } = versionedWrite({}, tagOfResource(entity));
      const { tenantId } = caller;
      const id = await createResource(api.database, tenantId, fields, entity.collection, actorOf(caller), watch);
      return tagged(itemId(id, [], unknownNames));
    },
  };
}

function update(api: ApiContext, entity: EntityDefinition, readBody: (body: unknown) => RecordBody): EndpointAction {
  return {
    roles: rights.resources.write,
    maxBodyBytes: api.config.MAX_BODY_BYTES,
    async handle(call) {
      const { caller, params, body } = call;
      const exists = async (one: number) => (await findResource(api.database, caller.tenantId, one)) !== undefined;
      const { id, fields, unknownNames } = await readUpdate({ params, body, exists }, () => {
        const read = readBody(body);
        refuseMailAddress(api, read.fields);
        refuseWhenStrict(call, read.unknownNames);
        return { ...read, id: knownId(recordIdOf(params, read.id)) };
      });
      const { watch, tagged } = versionedWrite(call.preconditions, tagOfResource(entity));
      const { dueWebhookKeys } = await updateResource(
        api.database,
        caller.tenantId,
        id,
        fields,
        actorOf(caller),
        watch,
      );
      api.enqueueDeliver(dueWebhookKeys);
      const endsOwnAccess = id === caller.resourceId && fields['isActive'] === 'false';
      return tagged(itemId(id, endsOwnAccess ? [ownAccessEnds('deactivated')] : [], unknownNames));
    },
  };
}

function remove(api: ApiContext, entity: EntityDefinition): EndpointAction {
  return {
    roles: rights.resources.write,
    async handle({ caller, params, preconditions }) {
      const id = pathId(params['id'], MAX_SMALL_ID);
      const { watch } = versionedWrite(preconditions, tagOfResource(entity));
      const { dueWebhookKeys } = await removeResource(api.database, caller.tenantId, id, actorOf(caller), watch);
      api.enqueueDeliver(dueWebhookKeys);
      return itemId(id, id === caller.resourceId ? [ownAccessEnds('deleted')] : []);
    },
  };
}

function ownAccessEnds(how: 'deactivated' | 'deleted'): string {
  const remedy = how === 'deactivated' ? ' Another admin or an operator can activate it again.' : '';
  return (
    `This is the resource that your own credentials belong to. It is ${how} now: they are refused from the next request ` +
    `on, and the webhooks that it owns are inactive.${remedy}`
  );
}

function read(api: ApiContext, entity: EntityDefinition): EndpointAction {
  return {
    roles: rights.resources.read,
    async handle({ caller, params }) {
      const resource = await findResource(api.database, caller.tenantId, pathId(params['id'], MAX_SMALL_ID));
      if (resource === undefined) throw Problem.notFound();
      return withTag(item(resourceItem(entity, resource)), tagOfResource(entity)(resource));
    },
  };
}

const resourceItem = (entity: EntityDefinition, resource: StoredResource) =>
  recordItem(entity, noUserDefinedFields(entity), { ...resource, udfFields: {} });

/** The entity tag of a resource. A read shows all writable values: equal values are one version. */
const tagOfResource = (entity: EntityDefinition) => (resource: StoredResource) =>
  tagOfValues(resourceItem(entity, resource));

/** Notices of a resource's webhooks go to the address of the resource, which must be valid. */
function refuseMailAddress(api: ApiContext, { email }: FieldValues): void {
  if (email === undefined || email === null) return;
  if (!isMailAddress(email)) {
    throw Problem.invalid('email must be one plain e-mail address such as ops@example.com', 'email');
  }
  checkRecipient(api, 'email', email);
}

/** The resources of a tenant in the API's description. */
function describeResources(entity: EntityDefinition) {
  const { record, bodies } = recordSchemas(entity);
  const names = namesOf(entity.collection);
  const described: DescribedCollection = {
    record,
    hasVersions: true,
    names,
    tags: collectionTags(spacedWords(entity.singular), {
      name: capital(names.manyInWords),
      group: 'Administer',
      description: 'The people and API users of a tenant.',
    }),
  };
  const operations = recordOperations(described);
  const conflict = 'It would leave the tenant without an admin: this is the last one.';
  return {
    described,
    operations: {
      create: operations.create({ schema: bodies.create, example: wholeExample(entity, 'create') }),
      update: operations.update({ schema: bodies.update, example: updateExample(entity) }, { conflict }),
      replace: operations.replace(
        { schema: bodies.replace, example: wholeExample(entity, 'replace') },
        { ...replacing, conflict },
      ),
      read: operations.read(),
      remove: operations.remove({
        conflict,
        description: 'Its credentials are refused at once, and its webhooks become inactive.',
      }),
    },
  };
}
