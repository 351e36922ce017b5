import type { ProblemDetail } from '@callout/domain/problem';
import { subscriptionFaults } from '@callout/pipeline/match/match.rules';
import type { WebhookCreate } from '@callout/webhooks/input/webhook-input';
import type { WebhookSettings } from '@callout/webhooks/settings/settings';
import type { StoredWebhook } from '@callout/webhooks/webhook-columns';

type Subscribed = Pick<
  WebhookSettings,
  'isActive' | 'isSubscribedToCreateEvents' | 'isSubscribedToUpdateEvents' | 'isSubscribedToDeleteEvents'
> & { readonly entityType: string };

/** Why a new webhook makes no callouts, or fewer than it subscribes to: a sentence each. */
export function warningsOfCreate(
  webhook: Omit<WebhookCreate, 'secretKey' | 'receiver'>,
  entityType: string,
): ProblemDetail[] {
  const { fields, udfFields } = webhook;
  return warningsOf(
    { ...webhook, entityType },
    [...fields, ...udfFields].map(({ isSubscribed }) => isSubscribed),
  );
}

/**
 * The same for an updated webhook. One that the update makes inactive, or leaves inactive on purpose, is meant to make
 * none.
 */
export function warningsOfUpdate(
  stored: StoredWebhook,
  settings: Partial<WebhookSettings>,
  entityType: string,
): ProblemDetail[] {
  if (settings.isActive === false) return [];
  const { fields, udfFields } = stored;
  return warningsOf(
    { ...stored, ...settings, entityType },
    [...fields, ...udfFields].map(({ isSubscribedField }) => isSubscribedField),
  );
}

/** @param fieldRecords for each Field and UdfField record, whether its changes make callouts. */
function warningsOf(webhook: Subscribed, fieldRecords: readonly boolean[]): ProblemDetail[] {
  const faults = subscriptionFaults({
    entityType: webhook.entityType,
    onCreate: webhook.isSubscribedToCreateEvents,
    onUpdate: webhook.isSubscribedToUpdateEvents,
    onDelete: webhook.isSubscribedToDeleteEvents,
    fieldRecords: fieldRecords.length,
    subscribedFields: fieldRecords.filter(Boolean).length,
  });
  const warnings = faults.map(({ message }): ProblemDetail => ({ code: 'ineffective', message }));
  if (webhook.isActive) return warnings;
  const message = 'The webhook is inactive, so no event makes a callout: set isActive to true.';
  return [{ code: 'ineffective', field: 'isActive', message }, ...warnings];
}
