import type { ProblemDetail } from '@callout/core/errors';
import { subscriptionFaults } from '@callout/core/match';
import type { WebhookCreate, WebhookSettings } from '@callout/core/webhook';
import type { StoredWebhook } from '@callout/db/webhooks';

type Subscribed = Pick<
  WebhookSettings,
  'isActive' | 'isSubscribedToCreateEvents' | 'isSubscribedToUpdateEvents' | 'isSubscribedToDeleteEvents'
>;

/** Why a new webhook will make no callout as it stands, or not those it is subscribed to: a sentence each. */
export function warningsOfCreate(webhook: Omit<WebhookCreate, 'secretKey'>): ProblemDetail[] {
  const { fields, udfFields } = webhook;
  return warningsOf(
    webhook,
    [...fields, ...udfFields].map(({ isSubscribed }) => isSubscribed),
  );
}

/**
 * The same of a webhook as an update leaves it. One that the update itself makes inactive, or is told to leave inactive,
 * is meant to make none.
 */
export function warningsOfUpdate(stored: StoredWebhook, settings: Partial<WebhookSettings>): ProblemDetail[] {
  if (settings.isActive === false) return [];
  const { fields, udfFields } = stored;
  return warningsOf(
    { ...stored, ...settings },
    [...fields, ...udfFields].map(({ isSubscribedField }) => isSubscribedField),
  );
}

/** @param fieldRecords for each Field and UdfField record, whether its changes make callouts. */
function warningsOf(webhook: Subscribed, fieldRecords: readonly boolean[]): ProblemDetail[] {
  const faults = subscriptionFaults({
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
