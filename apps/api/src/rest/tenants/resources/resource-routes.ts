import type { Catalogue, EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem/problem';
import type { FieldValues } from '@callout/domain/values/values';
import { isMailAddress } from '@callout/domain/mail/mail-address';
import { recordMetadata } from '@callout/domain/metadata/record-fields';
import { resourceTable } from '@callout/history/search/tables/tables';
import type { ResourceStore } from '@callout/tenancy/resources';
import { item, itemId } from '../../../http/api-response.ts';
import type { EndpointAction } from '../../../http/route/endpoint.ts';
import { knownId, MAX_SMALL_ID, pathId } from '../../../http/route/path/path-id.ts';
import { readUpdate } from '../../../http/route/read-update.ts';
import { refuseWhenStrict } from '../../../http/route/strict.ts';
import type { MailRecipients } from '../../mail/mail-recipients.ts';
import { rights } from '../../../http/auth/rights.ts';
import type { AddRoute } from '../../../http/route/route-table.ts';
import { addMetadataRoutes, by, type Metadata } from '../../metadata/metadata-routes.ts';
import { addCollectionRoutes, type QueryDeps } from '../../query/query-routes.ts';
import { tableRows, type TableQueryDeps } from '../../query/table-rows.ts';
import type { Queried } from '../../query/queried.ts';
import {
  readRecordCreate,
  readRecordPatch,
  readRecordPut,
  recordIdOf,
  type RecordBody,
} from '../../records/record-body.ts';
import { recordItem } from '../../records/record-item.ts';
import { noUserDefinedFields } from '../../metadata/user-defined-fields.ts';
import { describeResources } from './resource-operations.ts';

interface ResourceRouteDeps extends QueryDeps, TableQueryDeps {
  readonly catalogue: Catalogue;
  readonly maxBodyBytes: number;
  readonly resources: ResourceStore;
  readonly mailRecipients: MailRecipients;
  readonly now: () => Date;
  /** Names webhooks with a callout that has become due in a job for the worker. Must not wait. */
  readonly enqueueDeliver: (webhookKeys: number[]) => void;
}

const COLLECTION = 'Resources';

/** The persons and API users of a tenant. Operators manage their rights and credentials. */
export function addResourceRoutes(add: AddRoute, deps: ResourceRouteDeps): void {
  const entity = deps.catalogue.byCollection(COLLECTION);
  if (entity === undefined) return;
  const path = `/${entity.collection}`;
  const { read: readers, write: writers } = rights.resources;
  const patch = update(deps, (body) => readRecordPatch(entity, noUserDefinedFields(entity), body));
  const put = update(deps, (body) => readRecordPut(entity, noUserDefinedFields(entity), body));
  const { described, operations: schemas } = describeResources(entity);
  const metadata: Metadata = {
    name: entity.singular,
    access: { create: by(writers), query: by(readers), update: by(writers), delete: by(writers) },
    fields: () => recordMetadata(entity),
  };
  addMetadataRoutes(add, path, { metadata, described });
  addCollectionRoutes(add, path, { queried: queriedResources(deps, entity), described }, deps, {
    POST: { ...create(deps, entity), schema: schemas.create },
    PATCH: { ...patch, schema: schemas.update.byBody },
    PUT: { ...put, schema: schemas.replace.byBody },
  });
  add(`${path}/:id`, {
    GET: { ...read(deps, entity), schema: schemas.read },
    PATCH: { ...patch, schema: schemas.update.byPath },
    PUT: { ...put, schema: schemas.replace.byPath },
    DELETE: { ...remove(deps), schema: schemas.remove },
  });
}

function queriedResources(deps: ResourceRouteDeps, entity: EntityDefinition): Queried {
  const udfs = noUserDefinedFields(entity);
  const fieldNames = entity.fields.map((field) => field.name);
  const collection = { name: entity.collection, fieldNames, fieldByName: entity.fieldByName.bind(entity) };
  return {
    roles: rights.resources.read,
    rowsFor: ({ caller: { tenantId } }) =>
      tableRows(deps, collection, resourceTable, { tenantId }, (row) =>
        recordItem(entity, udfs, { ...row, udfFields: {} }),
      ),
  };
}

function create(deps: ResourceRouteDeps, entity: EntityDefinition): EndpointAction {
  const udfs = noUserDefinedFields(entity);
  return {
    roles: rights.resources.write,
    maxBodyBytes: deps.maxBodyBytes,
    async handle(call) {
      const { caller, body } = call;
      const { fields, unknownNames } = readRecordCreate(entity, udfs, body, { now: deps.now(), takesId: false });
      refuseMailAddress(fields, deps.mailRecipients);
      refuseWhenStrict(call, unknownNames);
      return itemId(await deps.resources.create(caller.tenantId, fields, entity.collection), [], unknownNames);
    },
  };
}

function update(deps: ResourceRouteDeps, readBody: (body: unknown) => RecordBody): EndpointAction {
  return {
    roles: rights.resources.write,
    maxBodyBytes: deps.maxBodyBytes,
    async handle(call) {
      const { caller, params, body } = call;
      const exists = async (one: number) => (await deps.resources.find(caller.tenantId, one)) !== undefined;
      const { id, fields, unknownNames } = await readUpdate({ params, body, exists }, () => {
        const read = readBody(body);
        refuseMailAddress(read.fields, deps.mailRecipients);
        refuseWhenStrict(call, read.unknownNames);
        return { ...read, id: knownId(recordIdOf(params, read.id)) };
      });
      const { dueWebhookKeys } = await deps.resources.update(caller.tenantId, id, fields, caller.personId);
      deps.enqueueDeliver(dueWebhookKeys);
      const endsOwnAccess = id === caller.resourceId && fields['isActive'] === 'false';
      return itemId(id, endsOwnAccess ? [ownAccessEnds('deactivated')] : [], unknownNames);
    },
  };
}

function remove(deps: ResourceRouteDeps): EndpointAction {
  return {
    roles: rights.resources.write,
    async handle({ caller, params }) {
      const id = pathId(params['id'], MAX_SMALL_ID);
      const { dueWebhookKeys } = await deps.resources.remove(caller.tenantId, id, caller.personId);
      deps.enqueueDeliver(dueWebhookKeys);
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

function read(deps: ResourceRouteDeps, entity: EntityDefinition): EndpointAction {
  return {
    roles: rights.resources.read,
    async handle({ caller, params }) {
      const resource = await deps.resources.find(caller.tenantId, pathId(params['id'], MAX_SMALL_ID));
      if (resource === undefined) throw Problem.notFound();
      return item(recordItem(entity, noUserDefinedFields(entity), { ...resource, udfFields: {} }));
    },
  };
}

/** Notices of a resource's webhooks go to its address, so it must be one. */
function refuseMailAddress({ email }: FieldValues, recipients: MailRecipients): void {
  if (email === undefined || email === null) return;
  if (!isMailAddress(email)) {
    throw Problem.invalid('email must be one plain e-mail address such as ops@example.com', 'email');
  }
  recipients.check('email', email);
}
