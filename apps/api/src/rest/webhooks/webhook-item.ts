import type { StoredWebhook } from '@callout/webhooks/webhook-columns';
import { isReady } from '@callout/pipeline/match/match.rules';
import type { WebhookSettings } from '@callout/webhooks/settings/settings';
import { shownJson } from '../query/table-rows.ts';
import { secretMask } from '@callout/domain/input/secret-mask';
import { tagOfValues } from '../../http/conditional/entity-tag.ts';

/** The sources of a webhook's item. */
export interface ReadableWebhook extends WebhookSettings {
  readonly id: number;
  readonly guid: string;
  readonly ownerResourceId: number;
  /** One entry per Field record, and per UdfField record. */
  readonly fields: readonly unknown[];
  readonly udfFields: readonly unknown[];
}

/** The fields about the key pair that signs for a webhook. */
export interface SigningFields {
  readonly signingPublicKey: string | null;
  readonly signingKeysUrl: string | null;
}

/** Of a webhook that only its secret signs for. */
export const noSigningKey: SigningFields = { signingPublicKey: null, signingKeysUrl: null };

/** A webhook as reads show it. Neither the secret nor a private key is ever returned. */
export function webhookItem(webhook: ReadableWebhook, { signingPublicKey, signingKeysUrl } = noSigningKey) {
  return {
    id: webhook.id,
    webhookGUID: webhook.guid,
    name: webhook.name,
    webhookUrl: webhook.webhookUrl,
    deactivationUrl: webhook.deactivationUrl,
    isActive: webhook.isActive,
    isReady: isReady({
      fieldRecords: webhook.fields.length + webhook.udfFields.length,
      onCreate: webhook.isSubscribedToCreateEvents,
      onUpdate: webhook.isSubscribedToUpdateEvents,
      onDelete: webhook.isSubscribedToDeleteEvents,
    }),
    isSubscribedToCreateEvents: webhook.isSubscribedToCreateEvents,
    isSubscribedToUpdateEvents: webhook.isSubscribedToUpdateEvents,
    isSubscribedToDeleteEvents: webhook.isSubscribedToDeleteEvents,
    notificationEmailAddress: webhook.notificationEmailAddress,
    ownerResourceID: webhook.ownerResourceId,
    secretKey: secretMask,
    sendThresholdExceededNotification: webhook.sendThresholdExceededNotification,
    mergeWhileWaiting: webhook.mergeWhileWaiting,
    maxCallsPerSecond: webhook.maxCallsPerSecond,
    maxConcurrentCalls: webhook.maxConcurrentCalls,
    condition: shownJson(webhook.condition),
    includePreviousValues: webhook.includePreviousValues,
    payloadFormat: webhook.payloadFormat,
    requestHeaders: shownJson(webhook.requestHeaders),
    receiverAuth: shownJson(webhook.receiverAuth),
    caCertificate: webhook.caCertificate,
    signatureKind: webhook.signatureKind,
    signingPublicKey,
    signingKeysUrl,
  };
}

/** What reads of a webhook on `WebhookHealth` show besides. The format pagerduty has a key, and no other one has. */
export function alertItem({ alertFormat }: { readonly alertFormat?: unknown }) {
  return { alertFormat, alertRoutingKey: alertFormat === 'pagerduty' ? secretMask : null };
}

/**
 * The entity tag of a webhook. Its version rises with everything that reads cannot show, such as a new secret or a new
 * child; what reads show is part of the tag too, since another release may show more of the same version.
 */
export function webhookTag(webhook: StoredWebhook): string {
  return tagOfValues(webhook.version, webhook.updatedAt, webhookItem(webhook), alertItem(webhook));
}
