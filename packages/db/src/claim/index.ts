export { claimDueCallouts, type FreeSlots, rescheduleCallout } from './claim.ts';
export type { ClaimedCallout } from './claimed.ts';
export { holdCallouts } from './threshold/hold.ts';
export { releaseHeldCallouts } from './threshold/release-held.ts';
export { beforeAllEvents, pendingEvents, takeLateEvents, webhooksWithDueCallouts } from './sweep.ts';
export { openTarget, readTargets, type StoredTarget } from './targets.ts';
export { takeFirstAttempts } from './threshold/threshold.ts';
