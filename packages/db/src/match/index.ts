export {
  lockOpenTails,
  type NewLease,
  noLease,
  type NumberedWebhook,
  storeMatched,
  takeSequenceNumbers,
  type ThresholdsToLock,
} from './callouts.ts';
export { claimPendingEvents, type GroupVersions, stillPending } from './pending-events.ts';
export { createSubscriptionReader, groupKeyOf, type Subscriptions } from './subscriptions.ts';
