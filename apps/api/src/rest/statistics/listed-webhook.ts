import { z } from 'zod';
import { statusLabelOf, webhookStatusLabels } from '@callout/history/log/webhook-status-label.rules';
import { isReady } from '@callout/pipeline/match/match.rules';
import type { WebhookActivity } from '@callout/history/statistics/webhook-activity';
import type { WebhookState } from '@callout/history/statistics/webhook-states';
import { anyId, flag, moment, text, webhookGUID, webhookID, whole } from '../../http/operation/wire-types.ts';

/** A webhook in the list of all entities. */
export const listedWebhook = z
  .object({
    entityType: text.describe('The type of entity, such as Account.'),
    webhookID,
    webhookGUID,
    name: text.describe('The name of the webhook.'),
    webhookUrl: text.describe('Where the callouts go.'),
    ownerResourceID: anyId.describe('The owner of the webhook.'),
    isActive: flag.describe('Whether the webhook is active.'),
    isReady: flag.describe('Whether nothing is missing for callouts.'),
    state: z.enum(webhookStatusLabels).describe('The status, in one word.'),
    sinceDateTime: moment.nullable().describe('Since when, if that is known.'),
    sentence: text.describe('Why, and what to do.'),
    held: whole.describe('Callouts that the threshold holds.'),
    createDateTime: moment.describe('When the webhook was made.'),
    lastAttemptDateTime: moment.nullable().describe('When the webhook was last called; null: not in the last 30 days.'),
    lastDeliveryDateTime: moment
      .nullable()
      .describe('When a callout was last delivered; null: no delivery in the last 30 days.'),
    last24Hours: z
      .object({
        attempts: whole.describe('Requests that were made, including tests.'),
        failedAttempts: whole.describe('Requests that the receiver did not accept.'),
        errorRate: z
          .number()
          .min(0)
          .max(1)
          .nullable()
          .describe('The share of the requests that were not accepted, from 0 to 1; null: no request was made.'),
        attemptsByHour: z
          .array(whole)
          .describe('The requests by hour, the present hour last; empty: no request was made.'),
        failedAttemptsByHour: z.array(whole).describe('The requests that were not accepted, by hour.'),
      })
      .meta({ id: 'WebhookActivity' })
      .describe('The present hour and the 23 before it, without the last minute or two, which are not counted yet.'),
  })
  .meta({ id: 'ListedWebhook' });

/** A listed webhook without the activity. */
export function webhookListItem(webhook: WebhookState, ring: readonly string[]) {
  const { status } = webhook;
  const { state, since, sentence } = statusLabelOf(status, ring);
  return {
    entityType: webhook.entityType,
    webhookID: status.id,
    webhookGUID: status.guid,
    name: webhook.name,
    webhookUrl: webhook.webhookUrl,
    ownerResourceID: webhook.ownerResourceId,
    isActive: status.isActive,
    isReady: isReady(status),
    state,
    sinceDateTime: since,
    sentence,
    held: status.held,
    createDateTime: webhook.createdAt,
  };
}

/** The last 24 hours of a listed webhook; undefined: nothing was counted. */
export function activityItem(activity: WebhookActivity | undefined) {
  const { attempts = [], failedAttempts = [], lastAttemptAt = null, lastDeliveryAt = null } = activity ?? {};
  const [madeAttempts, failed] = [sumOf(attempts), sumOf(failedAttempts)];
  return {
    lastAttemptDateTime: lastAttemptAt,
    lastDeliveryDateTime: lastDeliveryAt,
    last24Hours: {
      attempts: madeAttempts,
      failedAttempts: failed,
      errorRate: madeAttempts === 0 ? null : Math.round((failed / madeAttempts) * 10_000) / 10_000,
      attemptsByHour: madeAttempts === 0 ? [] : attempts,
      failedAttemptsByHour: madeAttempts === 0 ? [] : failedAttempts,
    },
  };
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
