import type { WorkerConfig } from '@callout/runtime/config/worker';

/** How long each kind of history is kept. */
export function retentionOf(config: WorkerConfig) {
  return {
    callouts: config.RETENTION_CALLOUTS_DAYS,
    events: config.RETENTION_EVENTS_DAYS,
    errorLogs: config.RETENTION_ERROR_LOGS_DAYS,
  };
}
