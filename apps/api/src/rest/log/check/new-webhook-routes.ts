import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { foldKeys, knownKeys } from '@callout/domain/input/fold-keys';
import { unknownKeysOf } from '@callout/domain/input/unknown-names';
import { knownWebhookKeys } from '@callout/domain/webhook/webhook-fields';
import type { ApiContext } from '../../../api-context.ts';
import { item, warningsOf } from '../../../http/api-response.ts';
import { rights } from '../../../http/auth/rights.ts';
import { supportedField } from '../../../http/operation/example-values.ts';
import { itemOf } from '../../../http/operation/wire-types.ts';
import type { Endpoint } from '../../../http/route/endpoint.ts';
import type { AddRoute } from '../../../http/route/route-table.ts';
import { refuseWhenStrict } from '../../../http/route/strict.ts';
import { userDefinedFieldsOf } from '../../metadata/user-defined-fields.ts';
import { deliveryOperation } from '../../webhooks/delivery-operation.ts';
import { eventKeys, noteUnknownNames, readSimulatedEvent } from './read-simulated-event.ts';
import { recordKnownTo } from './record-known-to.ts';
import { judgedEvent, simulatedOutcome } from './simulate.ts';
import { SAMPLE_ID, sampleEvent, simulatedWebhook } from './simulated-webhook.ts';
import { newWebhookSimulation, newWebhookSimulationRequest } from './webhook-check-schemas.ts';

/**
 * Simulates a webhook that is not stored yet: `POST /CompanyWebhooks/simulate`. Must come before paths with an id in
 * the same place.
 */
export function addNewWebhookRoutes(add: AddRoute, api: ApiContext): void {
  for (const entity of api.catalogue.watched) {
    add(`/${entity.webhookCollection}/simulate`, { POST: simulateNew(api, entity) });
  }
}

const newWebhookKeys = knownKeys({ webhook: null, event: null });

function simulateNew(api: ApiContext, entity: EntityDefinition): Endpoint {
  const { name } = supportedField(entity, 0);
  const example = {
    webhook: { isSubscribedToUpdateEvents: true, fields: [{ field: name, isSubscribedField: true }] },
    event: { action: 'Update' },
  };
  return {
    roles: rights.webhooks.read,
    portal: 'newWebhook',
    maxBodyBytes: api.config.MAX_BODY_BYTES,
    schema: deliveryOperation(entity, {
      id: 'simulateNew{One}',
      summary: 'What an event would make a webhook do that is not stored yet',
      description:
        'By the rules of webhooks that are stored, so that a form can show the payload before it is saved. The webhook counts as created and activated at this moment; its GUID and numbers are placeholders. A sample record is taken to fulfil its condition. In a portal nothing is known of a record but what the event says. Nothing is stored or sent.',
      body: { schema: newWebhookSimulationRequest, example },
      isWarned: true,
      responses: { 200: { description: 'What would happen.', schema: itemOf(newWebhookSimulation) } },
    }),
    async handle(call) {
      const { caller, body } = call;
      const { tenantId, personId } = caller;
      const unknown = noteUnknownNames(entity);
      const given = foldKeys(body, newWebhookKeys, unknown.onKey);
      unknown.found.push(...unknownKeysOf(given['webhook'] ?? {}, knownWebhookKeys));
      const udfs = await userDefinedFieldsOf(api, entity, tenantId);
      const now = new Date();
      const context = { entity, checkUrl: api.checkUrl, userDefinedFields: udfs.all, now };
      const whole = simulatedWebhook(given['webhook'] ?? {}, context, udfs, now);
      const event = foldKeys(given['event'] ?? {}, eventKeys, unknown.onEventKey);
      const isSample = event['id'] === undefined || event['id'] === null;
      // Sample values fulfil no condition, and the request is what a sample is for.
      const webhook = isSample ? { ...whole, subscription: { ...whole.subscription, condition: null } } : whole;
      const completed = { action: 'Update', ...event, ...(isSample && { id: SAMPLE_ID }) };
      const read = readSimulatedEvent(api, entity, udfs, completed, personId, unknown.onField);
      refuseWhenStrict(call, unknown.found);
      const input = {
        event: isSample ? { ...read, recordId: 0 } : read,
        webhook,
        entity,
        udfs,
        userAgent: api.config.USER_AGENT,
      };
      const judgedAs = isSample
        ? sampleEvent(read, webhook, entity, udfs)
        : judgedEvent(read, await recordKnownTo(api, caller, { entity, udfs }, read.recordId), now);
      return item({ ...simulatedOutcome(input, judgedAs), ...warningsOf(unknown.found) });
    },
  };
}
