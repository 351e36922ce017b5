import { z } from 'zod';
import { bodyOf } from '@callout/domain/callout/callout-body';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { actions } from '@callout/domain/event';
import { toWireInstant } from '@callout/domain/values/instant';
import type { ReplayedEvent } from '@callout/history/log/newest-events';
import type { JudgedWebhook } from '@callout/history/log/simulation';
import { layoutOf } from '@callout/pipeline/match/match-events.rules';
import { judgeEvent, type CompiledSubscription } from '@callout/pipeline/match/match.rules';
import { flag, text, whole } from '../../../http/operation/wire-types.ts';
import { rule } from '../event-schemas.ts';

/** What a change of a webhook would make of the newest events. */
export const preview = z
  .object({
    events: whole.describe('How many events were replayed: the newest of the entity, at most 100.'),
    owedBefore: whole.describe('How many of them make a callout as the webhook is now.'),
    owedAfter: whole.describe('How many of them would make one after the change.'),
    changes: z
      .array(
        z.object({
          eventID: text.describe('The event.'),
          action: z.enum(actions).describe('What was done to the record.'),
          recordID: whole.describe('The id of the record.'),
          eventTime: text.describe('When it was done, in UTC.'),
          owedBefore: flag.describe('Whether it makes a callout as the webhook is now.'),
          ruleBefore: rule,
          owedAfter: flag.describe('Whether it would make one after the change.'),
          ruleAfter: rule,
        }),
      )
      .describe('The events for which that differs, newest first.'),
    payload: z
      .object({
        eventID: text.describe('The event.'),
        before: text.nullable().describe('The body as the webhook is now; null: there is no callout.'),
        after: text.nullable().describe('The body after the change; null: there would be no callout.'),
      })
      .nullable()
      .describe('The newest callout that the change would alter, or else the newest one; null: there is none.'),
  })
  .meta({ id: 'WebhookPreview' });

/** The id that only a callout has that is made. */
const NO_CALLOUT = '<id of the callout>';

/**
 * Judges events by a webhook as it is and as it would be, by the functions that match events and make bodies. Both count
 * as active since before the first event: the events are older than the change.
 */
export function previewOf(
  events: readonly ReplayedEvent[],
  webhook: JudgedWebhook,
  changed: CompiledSubscription,
  entity: EntityDefinition,
): z.infer<typeof preview> {
  return compared(events, webhook, { before: { ...webhook.subscription, isActive: true }, after: changed }, entity);
}

/** The same of a webhook that is not stored: as it is, it makes no callout, like one that is inactive. */
export function newPreviewOf(
  events: readonly ReplayedEvent[],
  webhook: JudgedWebhook,
  entity: EntityDefinition,
): z.infer<typeof preview> {
  const { subscription } = webhook;
  return compared(events, webhook, { before: { ...subscription, isActive: false }, after: subscription }, entity);
}

interface Compared {
  readonly before: CompiledSubscription;
  readonly after: CompiledSubscription;
}

function compared(
  events: readonly ReplayedEvent[],
  webhook: JudgedWebhook,
  subscriptions: Compared,
  entity: EntityDefinition,
): z.infer<typeof preview> {
  const activatedAt = new Date(0);
  const [before, after] = [
    { ...subscriptions.before, activatedAt },
    { ...subscriptions.after, activatedAt },
  ];
  const judged = events.map((event) => ({ event, before: judgeEvent(event, before), after: judgeEvent(event, after) }));
  const bodyBy = (event: ReplayedEvent, subscription: CompiledSubscription, owed: boolean) =>
    owed ? bodyOf({ ...envelopeOf(event, webhook), id: NO_CALLOUT }, event, layoutOf(subscription, entity)) : null;
  const payloads = judged.map(({ event, ...verdicts }) => ({
    eventID: event.eventKey ?? event.id,
    before: bodyBy(event, before, verdicts.before.owed),
    after: bodyBy(event, after, verdicts.after.owed),
  }));
  const both = payloads.filter((one) => one.before !== null && one.after !== null);
  const either = payloads.filter((one) => one.before !== null || one.after !== null);
  return {
    events: events.length,
    owedBefore: judged.filter((one) => one.before.owed).length,
    owedAfter: judged.filter((one) => one.after.owed).length,
    changes: judged
      .filter((one) => one.before.owed !== one.after.owed)
      .map(({ event, ...verdicts }) => ({
        eventID: event.eventKey ?? event.id,
        action: event.action,
        recordID: event.recordId,
        eventTime: toWireInstant(event.eventTime),
        owedBefore: verdicts.before.owed,
        ruleBefore: verdicts.before.rule,
        owedAfter: verdicts.after.owed,
        ruleAfter: verdicts.after.rule,
      })),
    payload: both.find((one) => one.before !== one.after) ?? both[0] ?? either[0] ?? null,
  };
}

function envelopeOf(event: ReplayedEvent, { subscription, nextSequenceNumber }: JudgedWebhook) {
  const { action: done, entityType, recordId, eventTime, personId } = event;
  const sequenceNumber = nextSequenceNumber;
  return {
    action: done,
    webhookGuid: subscription.webhookGuid,
    entityType,
    recordId,
    eventTime,
    sequenceNumber,
    personId,
  };
}
