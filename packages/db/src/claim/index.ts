export { claimDueCallouts, type FreeSlots, putOffCallout } from './claim.ts';
export type { ClaimedCallout } from './claimed.ts';
export { holdCallouts } from './hold.ts';
export { releaseHeldCallouts } from './release-held.ts';
export { beforeAllEvents, pendingEvents, wakeLateEvents, webhooksWithDueCallouts } from './sweep.ts';
export { readTargets, type StoredTarget } from './targets.ts';
export { lockThresholds, takeFirstAttempts, takeFirstAttemptsIn } from './threshold.ts';
