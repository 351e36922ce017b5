import type { StoredWebhook } from '@callout/webhooks/webhook-columns';
import { isReady } from '@callout/pipeline/match/match.rules';
import { columnOf, isJson, type Setting } from '@callout/webhooks/settings/setting';
import { itemOrder, type WebhookSettings } from '@callout/webhooks/settings/settings';
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
export function webhookItem(webhook: ReadableWebhook, signing = noSigningKey): Record<string, unknown> {
  const shown = {
    id: webhook.id,
    webhookGUID: webhook.guid,
    isReady: isReady({
      fieldRecords: webhook.fields.length + webhook.udfFields.length,
      onCreate: webhook.isSubscribedToCreateEvents,
      onUpdate: webhook.isSubscribedToUpdateEvents,
      onDelete: webhook.isSubscribedToDeleteEvents,
    }),
    ownerResourceID: webhook.ownerResourceId,
    ...signing,
  };
  const entries = itemOrder.flatMap((one) => {
    if (typeof one === 'string') return [[one, shown[one]]];
    return 'only' in one ? [] : [[one.key, shownValue(one, webhook)]];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

function shownValue(setting: Setting, webhook: ReadableWebhook): unknown {
  if (columnOf(setting) === null) return secretMask;
  const value: unknown = Reflect.get(webhook, setting.key);
  return isJson(setting) ? shownJson(value as string | null) : value;
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
