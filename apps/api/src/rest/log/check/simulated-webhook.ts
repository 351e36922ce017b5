import { bodyFormatOf } from '@callout/domain/callout/messages/body-format';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { compileSubscription } from '@callout/pipeline/match/match.rules';
import { compileConditionText } from '@callout/pipeline/match/load';
import { parseWebhookCreate, type WebhookInputContext } from '@callout/domain/webhook/webhook';
import type { JudgedWebhook } from '@callout/history/log/simulation';
import { sampleValues } from '../../webhooks/sample-fields.ts';
import type { UserDefinedFields } from '../../metadata/user-defined-fields.ts';
import type { JudgedEvent, SimulatedEvent } from './simulate.ts';

/** Values that only a stored webhook has, or that the form lacks so far. */
const NO_GUID = '<GUID of the webhook>';
export const NO_PLACE = { zoneGuid: 'guid', zoneName: 'zone', zoneUrl: '', tenantName: 'tenant' };
const NO_URL = '<URL of the webhook>';
const defaults = {
  name: 'unnamed',
  webhookUrl: 'https://receiver.example/',
  deactivationUrl: 'https://receiver.example/',
  secretKey: 'unknown',
};
/** An id that an event may have, in place of the 0 that samples are sent with. */
export const SAMPLE_ID = 1;

/**
 * The webhook that this body would create, as match would see it. Throws the `invalid` or `conflict` Problem of its
 * creation, except for absent values.
 */
export function simulatedWebhook(
  body: unknown,
  context: WebhookInputContext,
  udfs: UserDefinedFields,
  now: Date,
): JudgedWebhook {
  const given = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : [];
  const present = given.filter(([, value]) => value !== null && value !== '');
  const names = new Set(present.map(([key]) => key.toLowerCase()));
  const isPresent = (key: string) => names.has(key.toLowerCase());
  const others = Object.entries({ ...defaults, isActive: true }).filter(([key]) => !isPresent(key));
  const webhook = parseWebhookCreate(Object.fromEntries([...others, ...present]), context);
  const subscription = compileSubscription({
    webhookKey: 0,
    webhookId: 0,
    webhookGuid: NO_GUID,
    version: 0,
    isActive: webhook.isActive,
    activatedAt: webhook.isActive ? now : null,
    onCreate: webhook.isSubscribedToCreateEvents,
    onUpdate: webhook.isSubscribedToUpdateEvents,
    onDelete: webhook.isSubscribedToDeleteEvents,
    fields: webhook.fields,
    udfFields: webhook.udfFields.map(({ udfFieldId, ...flags }) => ({
      udfId: udfFieldId,
      ...udfOf(udfs, udfFieldId),
      ...flags,
    })),
    payload: {
      format: bodyFormatOf(webhook),
      includePreviousValues: webhook.includePreviousValues,
      place: bodyFormatOf(webhook) === 'cloudevents' ? NO_PLACE : null,
    },
    excludedResourceIds: webhook.excludedResources.map(({ resourceId }) => resourceId),
    condition: webhook.condition === null ? null : compileConditionText(webhook.condition, context.entity, udfs.all),
  });
  const webhookUrl = isPresent('webhookUrl') ? webhook.webhookUrl : NO_URL;
  const { name, requestHeaders, receiverAuth, signatureKind } = webhook;
  const named = { name, requestHeaders, receiverAuth, signatureKind };
  return { subscription, ...named, webhookUrl, nextSequenceNumber: 1, now };
}

export function udfOf(udfs: UserDefinedFields, id: number) {
  const definition = udfs.all.find((one) => one.id === id);
  if (definition === undefined) return { label: String(id) };
  const { label, dataType, picklistValues } = definition;
  return { label, dataType, listValues: picklistValues };
}

/** An event of a sample record: of an update, all that the webhook subscribes to has changed. */
export function sampleEvent(
  { action, personId, recordId }: SimulatedEvent,
  { subscription, now }: JudgedWebhook,
  entity: EntityDefinition,
  udfs: UserDefinedFields,
): JudgedEvent {
  return {
    action,
    personId,
    recordId,
    acceptedAt: now,
    changedFields: subscription.fields.filter((one) => one.isSubscribed).map(({ name }) => name),
    changedUdfs: subscription.udfFields.filter((one) => one.isSubscribed).map(({ udfId }) => udfId),
    ...sampleValues(subscription, entity, udfs.all),
  };
}
