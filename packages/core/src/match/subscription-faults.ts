import type { Subscription } from './match.ts';

/** What of a webhook decides whether its subscription can make callouts. */
export interface SubscriptionShape extends Pick<Subscription, 'onCreate' | 'onUpdate' | 'onDelete'> {
  /** Field and UdfField records, and those of them that updates are watched for. */
  readonly fieldRecords: number;
  readonly subscribedFields: number;
}

/** Why a webhook gets no callouts, or not those that it is subscribed to. */
export interface SubscriptionFault {
  readonly code: 'subscribedToNothing' | 'noFieldRecord' | 'noSubscribedField';
  /** A sentence that says what it means and what to do. */
  readonly message: string;
  /** Whether no event at all makes a callout. */
  readonly blocks: boolean;
}

/** What is wrong with a subscription, by the rules that judge events; nothing when each event it names can make a callout. */
export function subscriptionFaults(subscription: SubscriptionShape): SubscriptionFault[] {
  const { onCreate, onUpdate, onDelete, fieldRecords, subscribedFields } = subscription;
  if (!onCreate && !onUpdate && !onDelete) {
    const message = 'The webhook is subscribed to no event: subscribe it to create, update or delete events.';
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
