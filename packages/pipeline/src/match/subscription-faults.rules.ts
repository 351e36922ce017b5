import { webhookHealthType } from '@callout/domain/catalogue/webhook-health';
import type { Subscription } from './match.rules.ts';

/** The data of a webhook that decides whether its subscription can cause callouts. */
export interface SubscriptionShape extends Pick<Subscription, 'onCreate' | 'onUpdate' | 'onDelete'> {
  readonly entityType: string;
  /** The number of Field and UdfField records, and of those whose changes fire updates. */
  readonly fieldRecords: number;
  readonly subscribedFields: number;
}

/** Why a webhook gets no callouts, or not all that it is subscribed to. */
export interface SubscriptionFault {
  readonly code: 'subscribedToNothing' | 'noFieldRecord' | 'noSubscribedField';
  /** A sentence with the effect and what to do. */
  readonly message: string;
  /** Whether no event at all causes a callout. */
  readonly blocks: boolean;
}

/**
 * The faults of a subscription, by the rules that judge events; empty when each subscribed event can cause a callout.
 */
export function subscriptionFaults(subscription: SubscriptionShape): SubscriptionFault[] {
  const { entityType, onCreate, onUpdate, onDelete, fieldRecords, subscribedFields } = subscription;
  if (!onCreate && !onUpdate && !onDelete) {
    const message = 'The webhook is subscribed to no event: subscribe it to create, update or delete events.';
    return [{ code: 'subscribedToNothing', message, blocks: true }];
  }
  if (entityType === webhookHealthType && !onUpdate) {
    const message =
      'All events of WebhookHealth are updates, and the webhook is not subscribed to them, so no event makes a callout: ' +
      'set isSubscribedToUpdateEvents to true.';
    return [{ code: 'subscribedToNothing', message, blocks: true }];
  }
  if (fieldRecords === 0 && (onCreate || onUpdate)) {
    const message = onDelete
      ? 'The webhook has neither a Field nor a UdfField record, so only delete events make callouts: add a field.'
      : 'The webhook has neither a Field nor a UdfField record, so no event makes a callout: add a field.';
    return [{ code: 'noFieldRecord', message, blocks: !onDelete }];
  }
  if (onUpdate && subscribedFields === 0) {
    const message =
      'No field of the webhook is subscribed, they are only displayed, so updates never make a callout: ' +
      'set isSubscribedField of a field to true.';
    return [{ code: 'noSubscribedField', message, blocks: !onCreate && !onDelete }];
  }
  return [];
}
