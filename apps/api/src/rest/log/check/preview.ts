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

type Preview = z.infer<typeof preview>;

/** Judges events one after another, newest first, and keeps no more of each than is shown. */
export interface PreviewInMaking {
  add(event: ReplayedEvent): void;
  result(): Preview;
}

/**
 * Judges events by a webhook as it is and as it would be, by the functions that match events and make bodies. Both count
 * as active since before the first event: the events are older than the change.
 */
export function previewOf(webhook: JudgedWebhook, changed: CompiledSubscription, entity: EntityDefinition) {
  return comparing(webhook, { before: { ...webhook.subscription, isActive: true }, after: changed }, entity);
}

/** The same of a webhook that is not stored: as it is, it makes no callout, like one that is inactive. */
export function newPreviewOf(webhook: JudgedWebhook, entity: EntityDefinition) {
  const { subscription } = webhook;
  return comparing(webhook, { before: { ...subscription, isActive: false }, after: subscription }, entity);
}

interface Compared {
  readonly before: CompiledSubscription;
  readonly after: CompiledSubscription;
}

function comparing(webhook: JudgedWebhook, subscriptions: Compared, entity: EntityDefinition): PreviewInMaking {
  const activatedAt = new Date(0);
  const [before, after] = [
    { ...subscriptions.before, activatedAt },
    { ...subscriptions.after, activatedAt },
  ];
  const bodyBy = (event: ReplayedEvent, subscription: CompiledSubscription) =>
    bodyOf({ ...envelopeOf(event, webhook), id: NO_CALLOUT }, event, layoutOf(subscription, entity));
  const counts = { events: 0, owedBefore: 0, owedAfter: 0 };
  const changes: Preview['changes'] = [];
  let shown: ShownPayload | undefined;
  return {
    add(event) {
      const judged = { before: judgeEvent(event, before), after: judgeEvent(event, after) };
      const [owedBefore, owedAfter] = [judged.before.owed, judged.after.owed];
      const eventID = event.eventKey ?? event.id;
      counts.events += 1;
      counts.owedBefore += Number(owedBefore);
      counts.owedAfter += Number(owedAfter);
      if (owedBefore !== owedAfter) {
        changes.push({
          eventID,
          action: event.action,
          recordID: event.recordId,
          eventTime: toWireInstant(event.eventTime),
          owedBefore,
          ruleBefore: judged.before.rule,
          owedAfter,
          ruleAfter: judged.after.rule,
        });
      }
      // Bodies are made only while a better one to show may come.
      if ((shown?.rank ?? 0) >= rankOf(owedBefore, owedAfter, true)) return;
      const bodies = {
        before: owedBefore ? bodyBy(event, before) : null,
        after: owedAfter ? bodyBy(event, after) : null,
      };
      const rank = rankOf(owedBefore, owedAfter, bodies.before !== bodies.after);
      if (rank > (shown?.rank ?? 0)) shown = { rank, payload: { eventID, ...bodies } };
    },
    result: () => ({ ...counts, changes, payload: shown?.payload ?? null }),
  };
}

interface ShownPayload {
  readonly rank: number;
  readonly payload: NonNullable<Preview['payload']>;
}

/** How much a payload shows: one that the change alters, one that it does not, one that is owed on one side only, none. */
function rankOf(owedBefore: boolean, owedAfter: boolean, differs: boolean): number {
  if (owedBefore && owedAfter) return differs ? 3 : 2;
  return owedBefore || owedAfter ? 1 : 0;
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
