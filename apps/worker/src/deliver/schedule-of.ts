import { type RetrySchedule, retrySchedules } from '@callout/core/deliver';
import type { WorkerConfig } from '@callout/runtime/config';

/** The schedule that RETRY_SCHEDULE names or spells out. */
export function scheduleOf(configured: WorkerConfig['RETRY_SCHEDULE']): RetrySchedule {
  if (typeof configured === 'string') return retrySchedules[configured];
  return { waitsMs: configured.waitsMs, jitter: retrySchedules.standard.jitter };
}
