import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { conditionFieldsOf } from '@callout/domain/condition/condition-fields';
import { Problem } from '@callout/domain/problem/problem';
import { foldKeys } from '@callout/domain/input/fold-keys';
import { readinessItem } from '@callout/history/log/readiness.rules';
import { readJudgedWebhook } from '@callout/history/log/simulation';
import { readWebhookStatus } from '@callout/history/log/webhook-status';
import type { ApiContext } from '../../../api-context.ts';
import { item, warningsOf } from '../../../http/api-response.ts';
import { refuseWhenStrict } from '../../../http/route/strict.ts';
import type { Endpoint } from '../../../http/route/endpoint.ts';
import { MAX_SMALL_ID, pathId } from '../../../http/route/path/path-id.ts';
import { rights } from '../../../http/auth/rights.ts';
import { ownWebhook } from '../../../http/auth/portal-guard.ts';
import type { AddRoute } from '../../../http/route/route-table.ts';
import { itemOf } from '../../../http/operation/wire-types.ts';
import { exampleValue, supportedField } from '../../../http/operation/example-values.ts';
import { deliveryOperation } from '../../webhooks/delivery-operation.ts';
import { userDefinedFieldsOf } from '../../metadata/user-defined-fields.ts';
import { eventKeys, noteUnknownNames, readSimulatedEvent } from './read-simulated-event.ts';
import { recordKnownTo } from './record-known-to.ts';
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
  const { entityType } = entity;
  return {
    roles: rights.webhooks.read,
    portal: ownWebhook(entity),
    maxBodyBytes: api.config.MAX_BODY_BYTES,
    schema: deliveryOperation(entity, {
      id: 'simulate{One}',
      summary: 'What a hypothetical event would make {one} do',
      description:
        'The verdict with the value of every rule, and the request that would go out, with its signatures redacted. The known values of the record are used, as for a real event; in a portal only those that callouts of {one} have already carried. Nothing is stored or sent.',
      body: { schema: simulatedEvent, example: simulatedExample(entity) },
      isWarned: true,
      responses: { 200: { description: 'What would happen.', schema: itemOf(simulationSchema) } },
    }),
    async handle(call) {
      const { caller, params, body } = call;
      const { tenantId, personId } = caller;
      const webhook = await readJudgedWebhook(api, { tenantId, entityType }, pathId(params['id'], MAX_SMALL_ID));
      if (webhook === undefined) throw Problem.notFound();
      const udfs = await userDefinedFieldsOf(api, entity, tenantId);
      const unknown = noteUnknownNames(entity);
      const given = foldKeys(body, eventKeys, unknown.onEventKey);
      const event = readSimulatedEvent(api, entity, udfs, given, personId, unknown.onField);
      refuseWhenStrict(call, unknown.found);
      const known = await recordKnownTo(api, caller, { entity, udfs, webhook }, event.recordId);
      const simulated = simulation({ event, known, webhook, entity, udfs, userAgent: api.config.USER_AGENT });
      return item({ ...simulated, ...warningsOf(unknown.found) });
    },
  };
}

function simulatedExample(entity: EntityDefinition): unknown {
  const field = supportedField(entity, 0);
  const fields = { [field.name]: exampleValue(field) };
  return { action: 'Update', id: 42, resourceID: 1, eventTime: '2026-01-15T09:30:00Z', fields };
}

function readiness(api: ApiContext, entity: EntityDefinition): Endpoint {
  const { search, keyRing } = api;
  const { entityType } = entity;
  return {
    roles: rights.webhooks.read,
    portal: ownWebhook(entity),
    schema: deliveryOperation(entity, {
      id: 'get{One}Readiness',
      summary: 'Whether {one} gets callouts, and each reason why not',
      responses: { 200: { description: 'The status of the webhook.', schema: itemOf(readinessSchema) } },
    }),
    async handle({ caller, params }) {
      const status = await readWebhookStatus(search, caller.tenantId, entityType, pathId(params['id'], MAX_SMALL_ID));
      if (status === undefined) throw Problem.notFound();
      const udfs = status.condition === null ? [] : (await userDefinedFieldsOf(api, entity, caller.tenantId)).all;
      return item(readinessItem(status, keyRing.keyIds, conditionFieldsOf(entity, udfs)));
    },
  };
}
