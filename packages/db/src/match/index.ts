export {
  lockOpenTails,
  type NewLease,
  type NumberedWebhook,
  storeNewCallouts,
  takeSequenceNumbers,
} from './callouts.ts';
export { claimPendingEvents, type GroupVersions, stillPending, storeVerdicts } from './pending-events.ts';
export { createSubscriptionReader, groupKeyOf, type Subscriptions } from './subscriptions.ts';
