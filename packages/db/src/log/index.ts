export type { CalloutScope } from './callouts/callout-candidates.ts';
export {
  type CalloutFilter,
  calloutKinds,
  type CalloutRange,
  type CalloutState,
  calloutStates,
  missedCalloutStates,
  openCalloutStates,
} from './callouts/callout-filter.ts';
export { calloutDetailsItem, calloutItem, failureOf, noteOf } from './callouts/callout-item.ts';
export { type CalloutLog, createCalloutLog } from './callouts/callout-log.ts';
export { createErrorLogStore, type ErrorLogScope, type ErrorLogStore, type StoredErrorLog } from './error-logs.ts';
export { createEventLog, type EventDetails, type EventFilter, type EventLog, type LoggedEvent } from './event-log.ts';
export type { LoggedVerdict } from './event-verdicts.ts';
export { idOf, timeOfId } from './id-time.ts';
export type { LogPage } from './log-page.ts';
export { createSimulationReader, type JudgedWebhook, type SimulationReader } from './simulation.ts';
export { createThresholdReader, type ReadThresholds, type ThresholdUse } from './thresholds.ts';
export { createWebhookStatusReader, type ReadWebhookStatus } from './webhook-status.ts';
