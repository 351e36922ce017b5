import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem';
import type { Action } from '@callout/domain/event';
import { emptyFieldValues } from '@callout/domain/values/values';
import type { Expectation, IngestEvent } from '@callout/pipeline/ingest/request.rules';
import type { UnknownName } from '@callout/domain/input/unknown-names';
import { findRecord } from '@callout/history/records';
import { recordMetadata } from '@callout/domain/metadata/record-fields';
import { userDefinedFieldMetadata } from '@callout/domain/metadata/udf-metadata';
import type { ApiContext } from '../../api-context.ts';
import { item, warningsOf, type ApiResponse } from '../../http/api-response.ts';
import type { Caller } from '../../http/auth/caller.ts';
import type { Call, EndpointAction, Methods } from '../../http/route/endpoint.ts';
import { pathId } from '../../http/route/path-id.ts';
import { readUpdate } from '../../http/route/read-update.ts';
import { refuseWhenStrict } from '../../http/route/strict.ts';
import { rights } from '../../http/auth/rights.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import type { RequestKey } from '../../waiting/ingest.ts';
import { idempotentWrite } from '../events/idempotent-write.ts';
import { addMetadataRoutes, by, type Metadata } from '../metadata/metadata-routes.ts';
import { addCollectionRoutes } from '../query/query-routes.ts';
import { userDefinedFieldsOf, type UserDefinedFields } from '../events/user-defined-fields.ts';
import { queriedRecords } from './queried-records.ts';
import { readRecordCreate, readRecordPatch, readRecordPut, recordIdOf, type RecordBody } from './record-body.ts';
import { recordItem } from './record-item.ts';
import { describedRecords, recordPlaceOperations, recordSchemas, type RecordSchemas } from './record-operations.ts';
import { belongsTo, parentInPath, pathOf, type ParentInPath, type RecordPlace } from './record-place.ts';

/**
 * Writes and reads of records, for every entity with webhooks: at the root, and under parents, like
 * `/Companies/5/Contacts`, where the catalogue allows it.
 */
export function addRecordRoutes(add: AddRoute, api: ApiContext): void {
  const entities = api.catalogue.watched;
  const described = entities.map((entity) => ({ entity, schemas: recordSchemas(entity) }));
  for (const { entity, schemas } of described) addPlace(add, api, { entity }, schemas);
  for (const { entity, schemas } of described) {
    for (const parent of entity.parents) addPlace(add, api, { entity, parent }, schemas);
  }
}

function addPlace(add: AddRoute, api: ApiContext, place: RecordPlace, recordTypes: RecordSchemas): void {
  const path = pathOf(place);
  const described = describedRecords(place, recordTypes);
  const schemas = recordPlaceOperations(place, recordTypes, described);
  const canWrite = canWriteAt(place);
  const updates = (form: 'byBody' | 'byPath'): Methods =>
    canWrite
      ? {
          PATCH: { ...update(api, place, readRecordPatch), schema: schemas.update[form] },
          PUT: { ...update(api, place, readRecordPut), schema: schemas.replace[form] },
        }
      : {};
  const creates: Methods = canWrite ? { POST: { ...create(api, place), schema: schemas.create } } : {};
  const deletes: Methods =
    place.parent === undefined && canWrite ? { DELETE: { ...remove(api, place.entity), schema: schemas.remove } } : {};
  addMetadataRoutes(add, path, { metadata: metadataOf(api, place), described });
  addCollectionRoutes(add, path, { queried: queriedRecords(api, place), described }, api, {
    ...creates,
    ...updates('byBody'),
  });
  add(`${path}/:id`, { GET: { ...read(api, place), schema: schemas.read }, ...updates('byPath'), ...deletes });
}

/** Records of an entity of Callout can only be read. */
function canWriteAt({ entity, parent }: RecordPlace): boolean {
  return !entity.isReadOnly && (parent?.canWrite ?? true);
}

/** The operations of a path: under a parent the body may omit the parent's id, and nothing is deleted. */
function metadataOf(api: ApiContext, place: RecordPlace): Metadata {
  const { entity, parent } = place;
  const { read } = rights.records;
  const write = canWriteAt(place) ? by(rights.records.write) : null;
  const isGivenByPath = (name: string) => name === parent?.field.name;
  return {
    name: entity.singular,
    access: { create: write, query: by(read), update: write, delete: parent === undefined ? write : null },
    hasUserDefinedFields: entity.hasUserDefinedFields,
    supportsWebhookCallouts: entity.supportsWebhookCallouts,
    fields: () => recordMetadata(entity).map((one) => (isGivenByPath(one.name) ? { ...one, isRequired: false } : one)),
    async checkPath(call) {
      await parentInPath(api, call, place);
    },
    async userDefinedFields(caller) {
      return userDefinedFieldMetadata(entity, (await userDefinedFieldsOf(api, entity, caller.tenantId)).all);
    },
  };
}

function create(api: ApiContext, place: RecordPlace): EndpointAction {
  const { entity } = place;
  return idempotentWrite(api, {
    roles: rights.records.write,
    maxBodyBytes: api.config.MAX_BODY_BYTES,
    async handle(call, key) {
      const { caller, body } = call;
      const parent = await parentInPath(api, call, place);
      const udfs = await userDefinedFieldsOf(api, entity, caller.tenantId);
      const record = readRecordCreate(entity, udfs, body, { now: new Date(), takesId: true, parent });
      refuseWhenStrict(call, record.unknownNames);
      const expects = record.id === null ? 'anything' : 'absent';
      return take(api, call, key, change(entity, caller, 'Create', expects, record), record.unknownNames);
    },
  });
}

function update(
  api: ApiContext,
  place: RecordPlace,
  readBody: (
    entity: EntityDefinition,
    udfs: UserDefinedFields,
    body: unknown,
    parent: ParentInPath | undefined,
  ) => RecordBody,
): EndpointAction {
  const { entity } = place;
  return idempotentWrite(api, {
    roles: rights.records.write,
    maxBodyBytes: api.config.MAX_BODY_BYTES,
    async handle(call, key) {
      const { caller, params, body } = call;
      const { tenantId } = caller;
      const parent = await parentInPath(api, call, place);
      const udfs = await userDefinedFieldsOf(api, entity, tenantId);
      const exists = async (id: number) => {
        const knownRecord = await findRecord(api.database, tenantId, entity.entityType, id);
        return knownRecord !== undefined && belongsTo(knownRecord, parent);
      };
      const record = await readUpdate({ params, body, exists, maxId: Number.MAX_SAFE_INTEGER }, () => {
        const read = readBody(entity, udfs, body, parent);
        refuseWhenStrict(call, read.unknownNames);
        return { ...read, id: recordIdOf(params, read.id) };
      });
      // At the root the update itself finds out.
      if (parent !== undefined && !(await exists(record.id))) throw Problem.notFound();
      return take(api, call, key, change(entity, caller, 'Update', 'present', record), record.unknownNames);
    },
  });
}

function remove(api: ApiContext, entity: EntityDefinition): EndpointAction {
  return idempotentWrite(api, {
    roles: rights.records.write,
    async handle(call, key) {
      const { caller, params } = call;
      const record = { id: pathId(params['id']), fields: emptyFieldValues(), udfFields: emptyFieldValues() };
      return take(api, call, key, change(entity, caller, 'Delete', 'present', record));
    },
  });
}

function read(api: ApiContext, place: RecordPlace): EndpointAction {
  const { entity } = place;
  return {
    roles: rights.records.read,
    isUntagged: true,
    async handle(call: Call): Promise<ApiResponse> {
      const { caller } = call;
      const id = pathId(call.params['id']);
      const parent = await parentInPath(api, call, place);
      const record = await findRecord(api.database, caller.tenantId, entity.entityType, id);
      if (record === undefined || !belongsTo(record, parent)) throw Problem.notFound();
      return item(recordItem(entity, await userDefinedFieldsOf(api, entity, caller.tenantId), record));
    },
  };
}

function change(
  entity: EntityDefinition,
  caller: Caller,
  action: Action,
  expects: Expectation,
  { id, fields, udfFields, dailyNumbers = [] }: Omit<RecordBody, 'unknownNames'>,
): IngestEvent {
  return {
    entityType: entity.entityType,
    action,
    recordId: id,
    expects,
    personId: caller.personId,
    eventTime: null,
    eventKey: null,
    contentHash: null,
    fields,
    udfFields,
    dailyNumbers,
    changed: null,
  };
}

function take(
  api: ApiContext,
  call: Call,
  key: RequestKey,
  event: IngestEvent,
  unknownNames: readonly UnknownName[] = [],
): Promise<ApiResponse> {
  const response = { kind: 'record', remarks: warningsOf(unknownNames) } as const;
  return api.ingest.accept({ call, events: [event], key, isIndexed: false, response });
}
