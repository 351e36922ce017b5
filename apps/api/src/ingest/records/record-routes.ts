import {
  emptyFieldValues,
  Problem,
  recordMetadata,
  userDefinedFieldMetadata,
  type Action,
  type Catalogue,
  type EntityDefinition,
} from '@callout/core';
import type { Expectation, IntakeEvent, IntakeItem } from '@callout/db';
import { item, itemId, type Answer } from '../../http/answer.ts';
import type { Caller } from '../../http/auth/authenticate.ts';
import type { Call, Endpoint } from '../../http/route/endpoint.ts';
import { pathId } from '../../http/route/path-id.ts';
import { readUpdate } from '../../http/route/read-update.ts';
import { rights } from '../../http/auth/rights.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import type { Intake, RequestKey } from '../intake.ts';
import { safeToRepeat, type RepeatDeps } from '../safe-to-repeat.ts';
import { addMetadataRoutes, by, type Metadata } from '../../metadata/metadata-routes.ts';
import { addCollectionRoutes, type QueryDeps } from '../../query/query-routes.ts';
import {
  userDefinedFieldsOf,
  type UserDefinedFieldDeps,
  type UserDefinedFields,
} from '../../tenants/udf/user-defined-fields.ts';
import { queriedRecords, type RecordQueryDeps } from './queried-records.ts';
import { readRecordCreate, readRecordPatch, readRecordPut, recordIdOf, type RecordBody } from './record-body.ts';
import { recordItem, type KnownRecord } from './record-item.ts';

export interface RecordRouteDeps extends UserDefinedFieldDeps, QueryDeps, RecordQueryDeps, RepeatDeps {
  readonly catalogue: Catalogue;
  readonly maxBodyBytes: number;
  readonly findRecord: (tenantId: number, entityType: string, id: number) => Promise<KnownRecord | undefined>;
  readonly intake: Pick<Intake, 'take'>;
  readonly now: () => Date;
}

/** Writes and reads of the records themselves, for every entity that can have webhooks. */
export function addRecordRoutes(add: AddRoute, deps: RecordRouteDeps): void {
  for (const entity of deps.catalogue.entities.filter((one) => one.supportsWebhookCallouts)) {
    const patch = update(deps, entity, readRecordPatch);
    const put = update(deps, entity, readRecordPut);
    addMetadataRoutes(add, `/${entity.collection}`, metadataOf(deps, entity));
    addCollectionRoutes(add, `/${entity.collection}`, queriedRecords(deps, entity), deps, {
      POST: create(deps, entity),
      PATCH: patch,
      PUT: put,
    });
    add(`/${entity.collection}/:id`, { GET: read(deps, entity), PATCH: patch, PUT: put, DELETE: remove(deps, entity) });
  }
}

function metadataOf(deps: RecordRouteDeps, entity: EntityDefinition): Metadata {
  const { read, write } = rights.records;
  return {
    name: entity.singular,
    access: { create: by(write), query: by(read), update: by(write), delete: by(write) },
    hasUserDefinedFields: entity.hasUserDefinedFields,
    supportsWebhookCallouts: entity.supportsWebhookCallouts,
    fields: () => recordMetadata(entity),
    async userDefinedFields(caller) {
      return userDefinedFieldMetadata(entity, (await userDefinedFieldsOf(deps, entity, caller.tenantId)).all);
    },
  };
}

function create(deps: RecordRouteDeps, entity: EntityDefinition): Endpoint {
  return safeToRepeat(deps, {
    roles: rights.records.write,
    maxBodyBytes: deps.maxBodyBytes,
    async handle({ caller, body }, key) {
      const udfs = await userDefinedFieldsOf(deps, entity, caller.tenantId);
      const record = readRecordCreate(entity, udfs, body, { now: deps.now(), takesId: true });
      const expects = record.id === null ? 'anything' : 'absent';
      return take(deps, caller, key, change(entity, caller, 'Create', expects, record));
    },
  });
}

function update(
  deps: RecordRouteDeps,
  entity: EntityDefinition,
  readBody: (entity: EntityDefinition, udfs: UserDefinedFields, body: unknown) => RecordBody,
): Endpoint {
  return safeToRepeat(deps, {
    roles: rights.records.write,
    maxBodyBytes: deps.maxBodyBytes,
    async handle({ caller, params, body }, key) {
      const { tenantId } = caller;
      const udfs = await userDefinedFieldsOf(deps, entity, tenantId);
      const exists = async (id: number) => (await deps.findRecord(tenantId, entity.entityType, id)) !== undefined;
      const record = await readUpdate({ params, body, exists, maxId: Number.MAX_SAFE_INTEGER }, () => {
        const read = readBody(entity, udfs, body);
        return { ...read, id: recordIdOf(params, read.id) };
      });
      return take(deps, caller, key, change(entity, caller, 'Update', 'present', record));
    },
  });
}

function remove(deps: RecordRouteDeps, entity: EntityDefinition): Endpoint {
  return safeToRepeat(deps, {
    roles: rights.records.write,
    async handle({ caller, params }, key) {
      const record = { id: pathId(params['id']), fields: emptyFieldValues(), udfFields: emptyFieldValues() };
      return take(deps, caller, key, change(entity, caller, 'Delete', 'present', record));
    },
  });
}

function read(deps: RecordRouteDeps, entity: EntityDefinition): Endpoint {
  return {
    roles: rights.records.read,
    async handle({ caller, params }: Call): Promise<Answer> {
      const id = pathId(params['id']);
      const record = await deps.findRecord(caller.tenantId, entity.entityType, id);
      if (record === undefined) throw Problem.notFound();
      return item(recordItem(entity, await userDefinedFieldsOf(deps, entity, caller.tenantId), record));
    },
  };
}

function change(
  entity: EntityDefinition,
  caller: Caller,
  action: Action,
  expects: Expectation,
  { id, fields, udfFields }: RecordBody,
): IntakeEvent {
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
    changed: null,
  };
}

function take(deps: RecordRouteDeps, caller: Caller, key: RequestKey, event: IntakeEvent): Promise<Answer> {
  const { tenantId } = caller;
  return deps.intake.take({ tenantId, events: [event], key, isIndexed: false, answerOf });
}

function answerOf([taken]: readonly IntakeItem[]): Answer {
  if (taken === undefined) throw new Error('the intake answered fewer items than events');
  return itemId(taken.recordId);
}
