export { attentionKinds, attentionOf, type AttentionItem, remedyKinds, type Remedy } from './attention.ts';
export { readinessItem } from './readiness.ts';
export { nextAttemptAt, type OpenCalloutStatus, type WaitsFor, waitsFor } from './waits-for.ts';
export type { WebhookStatus } from './webhook-status.ts';
export { statusWordOf, webhookWords } from './webhook-word.ts';
