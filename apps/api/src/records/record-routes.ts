import { emptyFieldValues, Problem, type Action, type Catalogue, type EntityDefinition } from '@callout/core';
import type { Expectation, IntakeEvent } from '@callout/db';
import { item, itemId, type Answer } from '../http/answer.ts';
import type { Caller } from '../http/authenticate.ts';
import type { Call, Endpoint } from '../http/endpoint.ts';
import { pathId } from '../http/path-id.ts';
import type { AddRoute } from '../http/route-table.ts';
import type { Intake } from '../intake/intake.ts';
import {
  loadUserDefinedFields,
  noUserDefinedFields,
  type UserDefinedFieldDeps,
  type UserDefinedFields,
} from '../udf/user-defined-fields.ts';
import { readRecordCreate, readRecordPatch, readRecordPut, type RecordBody } from './record-body.ts';
import { recordItem, type KnownRecord } from './record-item.ts';

export interface RecordRouteDeps extends UserDefinedFieldDeps {
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
    add(`/${entity.collection}`, { POST: create(deps, entity), PATCH: patch, PUT: put });
    add(`/${entity.collection}/:id`, { GET: read(deps, entity), PATCH: patch, PUT: put, DELETE: remove(deps, entity) });
  }
}

function create(deps: RecordRouteDeps, entity: EntityDefinition): Endpoint {
  return {
    roles: ['source', 'admin'],
    maxBodyBytes: deps.maxBodyBytes,
    async handle({ caller, body }) {
      const record = readRecordCreate(entity, await udfsOf(deps, entity, caller), body, deps.now());
      return take(deps, caller, change(entity, caller, 'Create', record.id === null ? 'anything' : 'absent', record));
    },
  };
}

function update(
  deps: RecordRouteDeps,
  entity: EntityDefinition,
  readBody: (entity: EntityDefinition, udfs: UserDefinedFields, body: unknown) => RecordBody,
): Endpoint {
  return {
    roles: ['source', 'admin'],
    maxBodyBytes: deps.maxBodyBytes,
    async handle({ caller, params, body }) {
      const record = readBody(entity, await udfsOf(deps, entity, caller), body);
      const id = idOf(params, record.id);
      return take(deps, caller, change(entity, caller, 'Update', 'present', { ...record, id }));
    },
  };
}

function remove(deps: RecordRouteDeps, entity: EntityDefinition): Endpoint {
  return {
    roles: ['source', 'admin'],
    async handle({ caller, params }) {
      const record = { id: pathId(params['id']), fields: emptyFieldValues(), udfFields: emptyFieldValues() };
      return take(deps, caller, change(entity, caller, 'Delete', 'present', record));
    },
  };
}

function read(deps: RecordRouteDeps, entity: EntityDefinition): Endpoint {
  return {
    roles: ['integrator', 'source', 'admin'],
    async handle({ caller, params }: Call): Promise<Answer> {
      const id = pathId(params['id']);
      const record = await deps.findRecord(caller.tenantId, entity.entityType, id);
      if (record === undefined) throw Problem.notFound();
      return item(recordItem(entity, await udfsOf(deps, entity, caller), record));
    },
  };
}

/** The id of an update: in the path, in the body, or in both alike. */
function idOf(params: Call['params'], bodyId: number | null): number {
  const id = params['id'] === undefined ? bodyId : pathId(params['id']);
  if (id === null) throw Problem.invalid('id is required', 'id');
  if (bodyId !== null && bodyId !== id) throw Problem.invalid(`id must be ${id}, as in the path`, 'id');
  return id;
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

async function take(deps: RecordRouteDeps, caller: Caller, event: IntakeEvent): Promise<Answer> {
  const [taken] = await deps.intake.take({ tenantId: caller.tenantId, events: [event] });
  if (taken === undefined) throw new Error('the intake answered fewer items than events');
  return itemId(taken.recordId);
}

async function udfsOf(deps: RecordRouteDeps, entity: EntityDefinition, caller: Caller): Promise<UserDefinedFields> {
  const load = entity.hasUserDefinedFields ? await loadUserDefinedFields(deps, caller.tenantId) : noUserDefinedFields;
  return load(entity);
}
