export { readinessItem } from './readiness.ts';
export { nextAttemptAt, type OpenCalloutStatus, type WaitsFor, waitsFor } from './waits-for.ts';
export type { WebhookStatus } from './webhook-status.ts';
