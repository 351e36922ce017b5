import type { Catalogue, EntityDefinition } from '@callout/core/catalogue';
import { Problem } from '@callout/core/errors';
import {
  collectUnknownNames,
  expectedKey,
  foldKeys,
  knownKeys,
  mostUnknownNames,
  type UnknownName,
} from '@callout/core/input';
import { readinessItem } from '@callout/core/log';
import type { KeyRing } from '@callout/core/secrets';
import type { ReadWebhookStatus, SimulationReader } from '@callout/db/log';
import { readEvent, type GivenEvent, type OnUnknownField } from '../../ingest/events/read-event.ts';
import { expectedField } from '../../ingest/records/given-fields.ts';
import { item, told } from '../../http/answer.ts';
import { refuseWhenStrict } from '../../http/route/strict.ts';
import type { Endpoint } from '../../http/route/endpoint.ts';
import { MAX_SMALL_ID, pathId } from '../../http/route/path-id.ts';
import { rights } from '../../http/auth/rights.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { itemOf } from '../../http/operation/wire-types.ts';
import { exampleValue, supportedField } from '../../http/operation/example-values.ts';
import { deliveryOperation } from '../../webhooks/delivery-operation.ts';
import {
  userDefinedFieldsOf,
  type UserDefinedFieldDeps,
  type UserDefinedFields,
} from '../../tenants/udf/user-defined-fields.ts';
import { judged } from '../filter/filters.ts';
import { simulation, type SupposedEvent } from './simulate.ts';
import {
  readiness as readinessSchema,
  simulation as simulationSchema,
  supposedEvent,
} from './webhook-check-schemas.ts';

export interface WebhookCheckRouteDeps extends UserDefinedFieldDeps {
  readonly catalogue: Catalogue;
  readonly maxBodyBytes: number;
  readonly simulation: SimulationReader;
  readonly webhookStatus: ReadWebhookStatus;
  readonly keyRing: Pick<KeyRing, 'keyIds'>;
  /** The `User-Agent` of callouts. */
  readonly userAgent: string;
}

/** What a webhook would do: `POST …/simulate` with a hypothetical event, and `GET …/readiness`. */
export function addWebhookCheckRoutes(add: AddRoute, deps: WebhookCheckRouteDeps): void {
  for (const entity of deps.catalogue.entities.filter((one) => one.supportsWebhookCallouts)) {
    const path = `/${entity.webhookCollection}/:id`;
    add(`${path}/simulate`, { POST: simulate(deps, entity) });
    add(`${path}/readiness`, { GET: readiness(deps, entity) });
  }
}

const eventKeys = knownKeys({
  entityType: null,
  action: null,
  id: null,
  resourceID: null,
  eventTime: null,
  fields: null,
  userDefinedFields: null,
  changedFields: null,
});

function simulate(deps: WebhookCheckRouteDeps, entity: EntityDefinition): Endpoint {
  const { entityType } = entity;
  return {
    roles: rights.webhooks.read,
    maxBodyBytes: deps.maxBodyBytes,
    schema: deliveryOperation(entity, {
      id: 'simulate{One}',
      summary: 'What a hypothetical event would make {one} do',
      description:
        'The verdict with the value of every rule, and the request that would go out, with its signatures redacted. The known values of the record are used, as for a real event. Nothing is stored or sent.',
      body: { schema: supposedEvent, example: supposedExample(entity) },
      isWarned: true,
      answers: { 200: { description: 'What would happen.', schema: itemOf(simulationSchema) } },
    }),
    async handle(call) {
      const { caller, params, body } = call;
      const { tenantId, personId } = caller;
      const webhook = await deps.simulation.webhook(tenantId, entityType, pathId(params['id'], MAX_SMALL_ID));
      if (webhook === undefined) throw Problem.notFound();
      const udfs = await userDefinedFieldsOf(deps, entity, tenantId);
      const names = collectUnknownNames(mostUnknownNames);
      const unknownNames: UnknownName[] = [];
      const note = (name: UnknownName | undefined) => void (name && unknownNames.push(name));
      const given = foldKeys(body, eventKeys, (key, path, expected) => {
        // Accepted and ignored, so that a real event can be pasted: a simulated one needs no id.
        if (key.toLowerCase() !== 'eventid') note(names.find(path, key, expectedKey(expected)));
      });
      const event = readSupposedEvent(deps, entity, udfs, given, personId, (name) =>
        note(names.find('fields.', name, expectedField(entity))),
      );
      refuseWhenStrict(call, unknownNames);
      const known = await deps.simulation.record(tenantId, entityType, event.recordId);
      const simulated = simulation({ event, known, webhook, entity, udfs, userAgent: deps.userAgent });
      return item({ ...simulated, ...told(unknownNames) });
    },
  };
}

function supposedExample(entity: EntityDefinition): unknown {
  const field = supportedField(entity, 0);
  const fields = { [field.name]: exampleValue(field) };
  return { action: 'Update', id: 42, resourceID: 1, eventTime: '2026-01-15T09:30:00Z', fields };
}

/** Reads an event as `POST /EntityEvents` would, except that the webhook says of which entity it is. */
function readSupposedEvent(
  { catalogue }: WebhookCheckRouteDeps,
  entity: EntityDefinition,
  udfs: UserDefinedFields,
  given: GivenEvent,
  personId: number,
  onUnknownField: OnUnknownField,
): SupposedEvent {
  const { entityType } = entity;
  const named = given['entityType'] ?? entityType;
  if (typeof named !== 'string' || named.toLowerCase() !== entityType.toLowerCase()) {
    throw Problem.invalid(`entityType must be ${entityType}, which the webhook watches, or be left out`, 'entityType');
  }
  const context = { catalogue, userDefinedFieldsOf: () => udfs, personId };
  const event = judged((problems) => readEvent({ ...given, entityType }, '', context, problems, onUnknownField));
  if (event === undefined || event.recordId === null) throw new Error('an event without a record was read');
  return { ...event, recordId: event.recordId };
}

function readiness({ webhookStatus, keyRing }: WebhookCheckRouteDeps, entity: EntityDefinition): Endpoint {
  const { entityType } = entity;
  return {
    roles: rights.webhooks.read,
    schema: deliveryOperation(entity, {
      id: 'get{One}Readiness',
      summary: 'Whether {one} gets callouts, and each reason why not',
      answers: { 200: { description: 'The status of the webhook.', schema: itemOf(readinessSchema) } },
    }),
    async handle({ caller, params }) {
      const status = await webhookStatus(caller.tenantId, entityType, pathId(params['id'], MAX_SMALL_ID));
      if (status === undefined) throw Problem.notFound();
      return item(readinessItem(status, keyRing.keyIds));
    },
  };
}
