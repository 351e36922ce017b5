import { z } from 'zod';
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
import { deliveryOperation } from '../../webhooks/webhook-endpoint.ts';
import { webhookDraft } from '../../webhooks/webhook-operations.ts';
import { eventKeys, noteUnknownNames, readSimulatedEvent } from './read-simulated-event.ts';
import { emailKnownTo, recordKnownTo } from './record-known-to.ts';
import { judgedEvent, simulatedOutcome } from './simulate.ts';
import { SAMPLE_ID, sampleEvent, simulatedWebhook } from './simulated-webhook.ts';
import { newPreviewOf, preview } from './preview.ts';
import { replayed } from './preview-routes.ts';
import { newWebhookSimulation, newWebhookSimulationRequest } from './webhook-check-schemas.ts';

/**
 * Simulations and previews of a webhook that is not stored yet: `POST /CompanyWebhooks/simulate` and `…/preview`. Must come
 * before paths with an id in the same place.
 */
export function addNewWebhookRoutes(add: AddRoute, api: ApiContext): void {
  const drafts = api.catalogue.watched.map((entity) => ({ entity, draft: webhookDraft(entity) }));
  for (const { entity, draft } of drafts) {
    add(`/${entity.webhookCollection}/simulate`, { POST: simulateNew(api, entity, draft) });
  }
  for (const { entity, draft } of drafts) {
    add(`/${entity.webhookCollection}/preview`, { POST: previewNew(api, entity, draft) });
  }
}

const simulationKeys = knownKeys({ webhook: null, event: null });
const previewKeys = knownKeys({ webhook: null });

function simulateNew(api: ApiContext, entity: EntityDefinition, draft: z.ZodType): Endpoint {
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
      body: { schema: newWebhookSimulationRequest(draft), example },
      isWarned: true,
      responses: { 200: { description: 'What would happen.', schema: itemOf(newWebhookSimulation) } },
    }),
    async handle(call) {
      const { caller, body } = call;
      const { tenantId, personId } = caller;
      const unknown = noteUnknownNames(entity);
      const given = foldKeys(body, simulationKeys, unknown.onKey);
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
        personEmail: await emailKnownTo(api, caller, read.personId),
      };
      const judgedAs = isSample
        ? sampleEvent(read, webhook, entity, udfs)
        : judgedEvent(read, await recordKnownTo(api, caller, { entity, udfs }, read.recordId), now);
      return item({ ...simulatedOutcome(input, judgedAs), ...warningsOf(unknown.found) });
    },
  };
}

function previewNew(api: ApiContext, entity: EntityDefinition, draft: z.ZodType): Endpoint {
  return {
    // Not for portals, as that of a change.
    roles: rights.webhooks.read,
    maxBodyBytes: api.config.MAX_BODY_BYTES,
    schema: deliveryOperation(entity, {
      id: 'previewNew{One}',
      summary: 'What a webhook that is not stored yet would make of the newest events',
      description:
        'Takes the body that would create it. The newest events of the entity, at most 100, are judged by it as if it had been active all the time; before the change, none of them makes a callout. Its GUID and numbers are placeholders. Nothing is stored or sent.',
      body: {
        schema: z.object({ webhook: draft }),
        example: { webhook: { isSubscribedToDeleteEvents: true } },
      },
      isWarned: true,
      responses: { 200: { description: 'What it would make.', schema: itemOf(preview) } },
    }),
    async handle(call) {
      const { caller, body } = call;
      const { tenantId } = caller;
      const given = foldKeys(body, previewKeys);
      const ofWebhook = unknownKeysOf(given['webhook'] ?? {}, knownWebhookKeys);
      const unknown = [...unknownKeysOf(body, previewKeys), ...ofWebhook];
      refuseWhenStrict(call, unknown);
      const udfs = await userDefinedFieldsOf(api, entity, tenantId);
      const now = new Date();
      const context = { entity, checkUrl: api.checkUrl, userDefinedFields: udfs.all, now };
      const webhook = simulatedWebhook(given['webhook'] ?? {}, context, udfs, now);
      const result = await replayed(api, tenantId, entity, newPreviewOf(webhook, entity));
      return item({ ...result, ...warningsOf(unknown) });
    },
  };
}
