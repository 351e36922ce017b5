export { attentionKinds, attentionOf, type AttentionItem, remedyKinds, type Remedy } from './attention.ts';
export {
  calloutKinds,
  type CalloutState,
  calloutStates,
  endedCalloutStates,
  missedCalloutStates,
  openCalloutStates,
} from './callout-states.ts';
export { readinessItem } from './readiness.ts';
export { nextAttemptAt, type OpenCalloutStatus, type WaitsFor, waitsFor } from './waits-for.ts';
export type { WebhookStatus } from './webhook-status.ts';
export { statusWordOf, webhookWords } from './webhook-word.ts';
