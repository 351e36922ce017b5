import { bodyFormatOf, isMessageFormat } from '@callout/domain/callout/messages/body-format';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { foldKeys } from '@callout/domain/input/fold-keys';
import { Problem, type ProblemDetail } from '@callout/domain/problem';
import { compileSubscription, type CompiledSubscription } from '@callout/pipeline/match/match.rules';
import { compileConditionText } from '@callout/pipeline/match/load';
import {
  readNestedChildren,
  refuseRepeatedChildren,
  type NestedChildren,
} from '@callout/webhooks/input/nested-children';
import {
  parseWebhookCreate,
  parseWebhookPatch,
  type WebhookChanges,
  type WebhookInputContext,
} from '@callout/webhooks/input/webhook-input';
import { knownWebhookKeys } from '@callout/webhooks/input/webhook-fields';
import type { JudgedWebhook } from '@callout/history/log/simulation';
import type { UserDefinedFields } from '../../events/user-defined-fields.ts';

/** Values of a stored webhook alone, or missing in an unfinished form. */
const NO_GUID = '<GUID of the webhook>';
const NO_PLACE = { zoneGuid: 'guid', zoneName: 'zone', zoneUrl: '', tenantName: 'tenant' };
const NO_URL = '<URL of the webhook>';
const defaults = {
  name: 'unnamed',
  webhookUrl: 'https://receiver.example/',
  deactivationUrl: 'https://receiver.example/',
  secretKey: 'unknown',
};

/**
 * The webhook that a body would create, in the form that match reads. Throws the `invalid` or `conflict` Problem of a
 * creation, except for absent values.
 */
export function describedWebhook(body: unknown, context: WebhookInputContext, udfs: UserDefinedFields): JudgedWebhook {
  const { now } = context;
  const bodyEntries = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : [];
  const present = bodyEntries.filter(([, value]) => value !== null && value !== '');
  const names = new Set(present.map(([key]) => key.toLowerCase()));
  const isPresent = (key: string) => names.has(key.toLowerCase());
  const defaultEntries = Object.entries({ ...defaults, isActive: true }).filter(([key]) => !isPresent(key));
  const webhook = parseWebhookCreate(Object.fromEntries([...defaultEntries, ...present]), context);
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

function udfOf(udfs: UserDefinedFields, id: number) {
  const definition = udfs.all.find((one) => one.id === id);
  if (definition === undefined) return { label: String(id) };
  const { label, dataType, picklistValues } = definition;
  return { label, dataType, listValues: picklistValues };
}

interface DescribedChange {
  readonly settings: WebhookChanges;
  /** Lists of children in the request. A list replaces the stored list; an absent list changes nothing. */
  readonly children: Partial<NestedChildren>;
}

/** A change of a stored webhook. Throws the `invalid` Problem of an update. */
export function describedChange(body: unknown, context: WebhookInputContext, id: number): DescribedChange {
  const { fields, udfFields, excludedResources, ...settings } = foldKeys(body, knownWebhookKeys);
  const { changes } = parseWebhookPatch(settings, context, id);
  const problems: ProblemDetail[] = [];
  const bodyEntries = { fields, udfFields, excludedResources };
  const children = readNestedChildren(bodyEntries, context, problems);
  if (problems.length > 0) throw Problem.invalid(problems);
  refuseRepeatedChildren(children);
  const isGiven = (key: string) => (bodyEntries[key as keyof typeof bodyEntries] ?? null) !== null;
  return {
    settings: changes,
    children: Object.fromEntries(Object.entries(children).filter(([key]) => isGiven(key))),
  };
}

/** A webhook after a change, in the form that match reads; active, unless the change says otherwise. */
export function changedSubscription(
  stored: CompiledSubscription,
  { settings, children }: DescribedChange,
  entity: EntityDefinition,
  udfs: UserDefinedFields,
): CompiledSubscription {
  const { subscribedFieldNames: _names, subscribedUdfIds: _ids, excludedResources: _resources, ...before } = stored;
  const { condition } = settings;
  const { format = 'reference', includePreviousValues = false, place = null } = before.payload ?? {};
  // The payloadFormat of a webhook whose callouts are messages is not known here.
  const knownFormat = isMessageFormat(format)
    ? { alertFormat: format, payloadFormat: 'reference' as const }
    : { alertFormat: 'json' as const, payloadFormat: format };
  const bodyFormat = bodyFormatOf({ ...knownFormat, ...settings });
  return compileSubscription({
    ...before,
    isActive: settings.isActive ?? true,
    onCreate: settings.isSubscribedToCreateEvents ?? before.onCreate,
    onUpdate: settings.isSubscribedToUpdateEvents ?? before.onUpdate,
    onDelete: settings.isSubscribedToDeleteEvents ?? before.onDelete,
    fields: children.fields ?? before.fields,
    udfFields:
      children.udfFields?.map(({ udfFieldId, ...flags }) => ({
        udfId: udfFieldId,
        ...udfOf(udfs, udfFieldId),
        ...flags,
      })) ?? before.udfFields,
    excludedResourceIds: children.excludedResources?.map(({ resourceId }) => resourceId) ?? before.excludedResourceIds,
    payload: {
      format: bodyFormat,
      includePreviousValues: settings.includePreviousValues ?? includePreviousValues,
      place: bodyFormat === 'cloudevents' ? (place ?? NO_PLACE) : null,
    },
    ...(condition !== undefined && {
      condition: condition === null ? null : compileConditionText(condition, entity, udfs.all),
    }),
  });
}
