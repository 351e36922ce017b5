import { userAgent } from '@callout/domain/callout/user-agent';
import { z } from 'zod';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { foldKeys, knownKeys } from '@callout/domain/input/fold-keys';
import { unknownKeysOf } from '@callout/domain/input/unknown-names';
import { knownWebhookKeys } from '@callout/webhooks/input/webhook-fields';
import { forNewestEvents } from '@callout/history/log/newest-events';
import type { JudgedWebhook } from '@callout/history/log/simulation';
import type { CompiledSubscription } from '@callout/pipeline/match/match.rules';
import { createWithPermit, type WithPermit } from '@callout/runtime/concurrency/permits';
import type { ApiContext } from '../../../api-context.ts';
import { item, warningsOf } from '../../../http/api-response.ts';
import { ownWebhook } from '../../../http/auth/portal-guard.ts';
import { rights } from '../../../http/auth/rights.ts';
import { problemOf } from '../../../http/limits/tenant-budget.ts';
import { exampleValue, supportedField } from '../../../http/operation/example-values.ts';
import type { OperationTemplate } from '../../../http/operation/operation-schema.ts';
import { itemOf } from '../../../http/operation/wire-types.ts';
import type { Call, Endpoint } from '../../../http/route/endpoint.ts';
import type { AddRoute } from '../../../http/route/route-table.ts';
import { refuseWhenStrict } from '../../../http/route/strict.ts';
import { userDefinedFieldsOf, type UserDefinedFields } from '../../events/user-defined-fields.ts';
import { deliveryOperation, judgedWebhookOf } from '../../webhooks/webhook-endpoint.ts';
import { webhookDraft, webhookPreviewBody } from '../../webhooks/webhook-operations.ts';
import { askedOf, comparing } from './comparison.ts';
import {
  eventIfStored,
  eventKeys,
  noteUnknownNames,
  readDescribedEvent,
  sampleEvent,
  SAMPLE_ID,
} from './described-event.ts';
import { changedSubscription, describedChange, describedWebhook } from './described-webhook.ts';
import { eventOutcome, sampleEvent as sampleEventSchema, simulatedEvent } from './event-outcome.ts';
import { outcomeOf } from './outcome-of.ts';
import { emailKnownTo, recordKnownTo } from './record-known-to.ts';

/** Events that a preview judges. */
const REPLAYED = 100;

const refusals = {
  unavailable: 'Too many previews are running. Try again later.',
  tooManyRequests: 'A preview of this tenant is running: wait for it.',
  retryAfterS: 2,
};

/**
 * Events with all their values may have megabytes to read: few previews run at a time, and a single preview of a
 * tenant.
 */
export function createPreviewPermits(): WithPermit<number> {
  return createWithPermit<number>(
    { total: 4, perKey: 1, maxWaiting: 50, maxWaitingPerKey: 5, maxWaitMs: 5_000 },
    (refusal) => problemOf(refusals, refusal),
  );
}

/**
 * What a webhook would do with an event: `simulate` for an event that the caller describes, `preview` for the newest
 * events. Both are for a stored webhook.
 */
export function addOutcomeRoutes(add: AddRoute, api: ApiContext): void {
  for (const entity of api.catalogue.watched) {
    add(`/${entity.webhookCollection}/:id/simulate`, { POST: simulate(api, entity) });
    add(`/${entity.webhookCollection}/:id/preview`, { POST: preview(api, entity) });
  }
}

/** The outcome for a webhook in the body. Must come before paths with an id in place of the last word. */
export function addDescribedOutcomeRoutes(add: AddRoute, api: ApiContext): void {
  for (const entity of api.catalogue.watched) {
    add(`/${entity.webhookCollection}/simulate`, { POST: simulateNew(api, entity) });
    add(`/${entity.webhookCollection}/preview`, { POST: previewNew(api, entity) });
  }
}

type Template = Omit<OperationTemplate, 'isWarned' | 'responses'>;

/**
 * An endpoint that answers with the outcome of an event. Previews show events of the tenant, and are closed to portals.
 */
function outcomeEndpoint(
  api: ApiContext,
  entity: EntityDefinition,
  portal: Pick<Endpoint, 'portal'>,
  template: Template,
  handle: Endpoint['handle'],
): Endpoint {
  const responses = { 200: { description: 'What the webhook does.', schema: itemOf(eventOutcome) } };
  return {
    roles: rights.webhooks.read,
    ...portal,
    maxBodyBytes: api.config.MAX_BODY_BYTES,
    schema: deliveryOperation(entity, { ...template, isWarned: true, responses }),
    handle,
  };
}

function simulate(api: ApiContext, entity: EntityDefinition): Endpoint {
  const field = supportedField(entity, 0);
  const fields = { [field.name]: exampleValue(field) };
  const example = { action: 'Update', id: 42, resourceID: 1, eventTime: '2026-01-15T09:30:00Z', fields };
  const template = {
    id: 'simulate{One}',
    summary: 'What a hypothetical event would make {one} do',
    description:
      'The verdict with the value of every rule, and the request that would go out, with its signatures redacted. The known values of the record are used, as for a real event; in a portal only those that callouts of {one} have already carried. Nothing is stored or sent.',
    body: { schema: simulatedEvent, example },
  };
  return outcomeEndpoint(api, entity, { portal: ownWebhook(entity) }, template, async (call) => {
    const { caller, body } = call;
    const webhook = await judgedWebhookOf(api, entity, call);
    const asking = await askingOf(api, entity, call);
    const unknown = noteUnknownNames(entity);
    const bodyFields = foldKeys(body, eventKeys, unknown.onEventKey);
    const read = readDescribedEvent(api, entity, asking.udfs, bodyFields, caller.personId, unknown.onField);
    refuseWhenStrict(call, unknown.found);
    const knownRecord = await recordKnownTo(api, caller, { ...asking, webhook }, read.recordId);
    const event = eventIfStored(read, knownRecord, webhook.now, await emailKnownTo(api, caller, read.personId));
    return item({ ...outcomeOf({ ...asking, webhook, event }), ...warningsOf(unknown.found) });
  });
}

const simulationKeys = knownKeys({ webhook: null, event: null });
const previewKeys = knownKeys({ webhook: null });

function simulateNew(api: ApiContext, entity: EntityDefinition): Endpoint {
  const { name } = supportedField(entity, 0);
  const example = {
    webhook: { isSubscribedToUpdateEvents: true, fields: [{ field: name, isSubscribedField: true }] },
    event: { action: 'Update' },
  };
  const template = {
    id: 'simulateNew{One}',
    summary: 'What an event would make a webhook do that is not stored yet',
    description:
      'By the rules of stored webhooks, so a form can show the payload before saving. The webhook counts as created and activated at this moment; its GUID and numbers are placeholders. A sample record is taken to fulfil its condition. In a portal nothing is known of a record but what the event says. Nothing is stored or sent.',
    body: { schema: z.object({ webhook: webhookDraft(entity), event: sampleEventSchema.optional() }), example },
  };
  return outcomeEndpoint(api, entity, { portal: 'newWebhook' }, template, async (call) => {
    const { caller, body } = call;
    const unknown = noteUnknownNames(entity);
    const bodyFields = foldKeys(body, simulationKeys, unknown.onKey);
    unknown.found.push(...unknownKeysOf(bodyFields['webhook'] ?? {}, knownWebhookKeys));
    const asking = await askingOf(api, entity, call);
    const { udfs } = asking;
    const stored = describedWebhook(bodyFields['webhook'] ?? {}, asking.context, udfs);
    const described = foldKeys(bodyFields['event'] ?? {}, eventKeys, unknown.onEventKey);
    const isSample = described['id'] === undefined || described['id'] === null;
    const completed = { action: 'Update', ...described, ...(isSample && { id: SAMPLE_ID }) };
    const read = readDescribedEvent(api, entity, udfs, completed, caller.personId, unknown.onField);
    refuseWhenStrict(call, unknown.found);
    const email = await emailKnownTo(api, caller, read.personId);
    const webhook = isSample ? unconditional(stored) : stored;
    const event = isSample
      ? sampleEvent(read, webhook, entity, udfs, email)
      : eventIfStored(read, await recordKnownTo(api, caller, asking, read.recordId), webhook.now, email);
    return item({ ...outcomeOf({ ...asking, webhook, event }), ...warningsOf(unknown.found) });
  });
}

function preview(api: ApiContext, entity: EntityDefinition): Endpoint {
  const template = {
    id: 'preview{One}',
    summary: 'What a change of {one} would make of the newest events',
    description:
      'Takes the body of an update. Lists of fields, user-defined fields and excluded resources in it replace the stored lists. The newest events of the entity, at most 100, are judged twice: by {one} as it is stored, and with the change; the event whose callout differs most is shown, or else a sample. The webhook counts as active for all of these events. Nothing is stored or sent.',
    body: webhookPreviewBody(entity),
  };
  return outcomeEndpoint(api, entity, {}, template, async (call) => {
    const webhook = await judgedWebhookOf(api, entity, call);
    const asking = await askingOf(api, entity, call);
    const change = describedChange(call.body, asking.context, webhook.subscription.webhookId);
    const unknown = unknownKeysOf(call.body, knownWebhookKeys);
    refuseWhenStrict(call, unknown);
    const after = { ...webhook, subscription: changedSubscription(webhook.subscription, change, entity, asking.udfs) };
    const outcome = await previewOf(api, call, asking, { ...webhook.subscription, isActive: true }, after);
    return item({ ...outcome, ...warningsOf(unknown) });
  });
}

function previewNew(api: ApiContext, entity: EntityDefinition): Endpoint {
  const template = {
    id: 'previewNew{One}',
    summary: 'What a webhook that is not stored yet would make of the newest events',
    description:
      'Takes the body that would create it. The newest events of the entity, at most 100, are judged by it as if it had been active all the time; before the change, none of them makes a callout. Its GUID and numbers are placeholders. Nothing is stored or sent.',
    body: {
      schema: z.object({ webhook: webhookDraft(entity) }),
      example: { webhook: { isSubscribedToDeleteEvents: true } },
    },
  };
  return outcomeEndpoint(api, entity, {}, template, async (call) => {
    const bodyFields = foldKeys(call.body, previewKeys);
    const ofWebhook = unknownKeysOf(bodyFields['webhook'] ?? {}, knownWebhookKeys);
    const unknown = [...unknownKeysOf(call.body, previewKeys), ...ofWebhook];
    refuseWhenStrict(call, unknown);
    const asking = await askingOf(api, entity, call);
    const webhook = describedWebhook(bodyFields['webhook'] ?? {}, asking.context, asking.udfs);
    const before = { ...webhook.subscription, isActive: false };
    return item({ ...(await previewOf(api, call, asking, before, webhook)), ...warningsOf(unknown) });
  });
}

/** What every outcome needs besides webhook and event. */
async function askingOf(api: ApiContext, entity: EntityDefinition, { caller }: Call) {
  const udfs = await userDefinedFieldsOf(api, entity, caller.tenantId);
  const context = { entity, checkUrl: api.checkUrl, userDefinedFields: udfs.all, now: new Date() };
  return { entity, udfs, context, userAgent };
}

/** The outcome of the most telling of the newest events after a change, or of a sample; the events are older than the change. */
async function previewOf(
  api: ApiContext,
  call: Call,
  asking: { readonly entity: EntityDefinition; readonly udfs: UserDefinedFields; readonly userAgent: string },
  before: CompiledSubscription,
  changed: JudgedWebhook,
) {
  const { caller } = call;
  const { tenantId, personId } = caller;
  const { entity, udfs } = asking;
  const activatedAt = new Date(0);
  const webhook = { ...changed, subscription: { ...changed.subscription, activatedAt } };
  const subscriptions = { before: { ...before, activatedAt }, after: webhook.subscription };
  const { shown, comparison } = await api.inPreview(tenantId, async () => {
    const making = comparing(webhook, subscriptions, entity);
    const { entityType } = entity;
    await forNewestEvents(api.search, { tenantId, entityType }, REPLAYED, (event) => making.add(event));
    return making.result();
  });
  const email = await emailKnownTo(api, caller, shown?.personId ?? personId);
  const sample = { action: 'Update' as const, personId, eventTime: null };
  const outcome = shown
    ? outcomeOf({ ...asking, webhook, event: askedOf(shown, email) })
    : outcomeOf({
        ...asking,
        webhook: unconditional(webhook),
        event: sampleEvent(sample, webhook, entity, udfs, email),
      });
  return { ...outcome, comparison };
}

/** Sample values fulfil no condition, and the request is what a sample is for. */
function unconditional(webhook: JudgedWebhook): JudgedWebhook {
  return { ...webhook, subscription: { ...webhook.subscription, condition: null } };
}
