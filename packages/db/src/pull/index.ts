export { claimPulledCallouts } from '../claim/claim.ts';
export { releasePulledCallouts } from '../claim/threshold/release-held.ts';
export { deleteExpiredWebhooks, extendLife } from './expiring-webhooks.ts';
export { findPulledWebhook } from './pulled-webhook.ts';
export {
  claimStalePulls,
  type HandedOut,
  lapsedPullLeases,
  nextToPull,
  noteHandedOut,
  type PullOutlook,
  readPullLeases,
  readPullScope,
} from './pull-leases.ts';
export { movingAmong, type PullRules, type SaidOfLease, type SettledPulls, settlePulls } from './settle-pulls.ts';
