import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { conditionFieldsOf } from '@callout/domain/condition/condition-fields';
import { Problem } from '@callout/domain/problem';
import { foldKeys } from '@callout/domain/input/fold-keys';
import { readinessItem } from '@callout/history/log/readiness.rules';
import { readWebhookStatus } from '@callout/history/log/webhook-status';
import type { ApiContext } from '../../../api-context.ts';
import { item, warningsOf } from '../../../http/api-response.ts';
import { refuseWhenStrict } from '../../../http/route/strict.ts';
import type { Endpoint } from '../../../http/route/endpoint.ts';
import type { AddRoute } from '../../../http/route/route-table.ts';
import type { OperationTemplate } from '../../../http/operation/operation-schema.ts';
import { itemOf } from '../../../http/operation/wire-types.ts';
import { exampleValue, supportedField } from '../../../http/operation/example-values.ts';
import { addressOf, judgedWebhookOf, webhookEndpoint } from '../../webhooks/webhook-endpoint.ts';
import { userDefinedFieldsOf } from '../../metadata/user-defined-fields.ts';
import { eventKeys, noteUnknownNames, readSimulatedEvent } from './read-simulated-event.ts';
import { emailKnownTo, recordKnownTo } from './record-known-to.ts';
import { simulation } from './simulate.ts';
import {
  readiness as readinessSchema,
  simulation as simulationSchema,
  simulatedEvent,
} from './webhook-check-schemas.ts';

/** Checks of a webhook: `POST …/simulate` with a hypothetical event, and `GET …/readiness`. */
export function addWebhookCheckRoutes(add: AddRoute, api: ApiContext): void {
  for (const entity of api.catalogue.watched) {
    const path = `/${entity.webhookCollection}/:id`;
    add(`${path}/simulate`, { POST: simulate(api, entity) });
    add(`${path}/readiness`, { GET: readiness(api, entity) });
  }
}

function simulate(api: ApiContext, entity: EntityDefinition): Endpoint {
  const template: OperationTemplate = {
    id: 'simulate{One}',
    summary: 'What a hypothetical event would make {one} do',
    description:
      'The verdict with the value of every rule, and the request that would go out, with its signatures redacted. The known values of the record are used, as for a real event; in a portal only those that callouts of {one} have already carried. Nothing is stored or sent.',
    body: { schema: simulatedEvent, example: simulatedExample(entity) },
    isWarned: true,
    responses: { 200: { description: 'What would happen.', schema: itemOf(simulationSchema) } },
  };
  return webhookEndpoint(api, entity, 'read', template, async (call) => {
    const { caller, body } = call;
    const webhook = await judgedWebhookOf(api, entity, call);
    const udfs = await userDefinedFieldsOf(api, entity, caller.tenantId);
    const unknown = noteUnknownNames(entity);
    const given = foldKeys(body, eventKeys, unknown.onEventKey);
    const event = readSimulatedEvent(api, entity, udfs, given, caller.personId, unknown.onField);
    refuseWhenStrict(call, unknown.found);
    const known = await recordKnownTo(api, caller, { entity, udfs, webhook }, event.recordId);
    const personEmail = await emailKnownTo(api, caller, event.personId);
    const { USER_AGENT: userAgent } = api.config;
    const simulated = simulation({ event, known, webhook, entity, udfs, userAgent, personEmail });
    return item({ ...simulated, ...warningsOf(unknown.found) });
  });
}

function simulatedExample(entity: EntityDefinition): unknown {
  const field = supportedField(entity, 0);
  const fields = { [field.name]: exampleValue(field) };
  return { action: 'Update', id: 42, resourceID: 1, eventTime: '2026-01-15T09:30:00Z', fields };
}

function readiness(api: ApiContext, entity: EntityDefinition): Endpoint {
  const { search, keyRing } = api;
  const template: OperationTemplate = {
    id: 'get{One}Readiness',
    summary: 'Whether {one} gets callouts, and each reason why not',
    responses: { 200: { description: 'The status of the webhook.', schema: itemOf(readinessSchema) } },
  };
  return webhookEndpoint(api, entity, 'read', template, async (call) => {
    const { tenantId, entityType, id } = addressOf(entity, call);
    const status = await readWebhookStatus(search, tenantId, entityType, id);
    if (status === undefined) throw Problem.notFound();
    const udfs = status.condition === null ? [] : (await userDefinedFieldsOf(api, entity, tenantId)).all;
    return item(readinessItem(status, keyRing.keyIds, conditionFieldsOf(entity, udfs)));
  });
}
