import type { MailVerdict } from '../notify/write/mail-retry.rules.ts';
import { addCounter, addHistogram } from '@callout/runtime/metrics/observed';
import { addReadGauge } from '@callout/runtime/metrics/read-gauge';
import type { Registry } from '@callout/runtime/metrics/registry';

/** The metrics of the sweep, of maintenance tasks and of mail. */
export interface MaintenanceMetrics {
  /** The sweep enqueued work that no process was doing. */
  readonly onSwept: (what: 'events' | 'webhooks', count: number) => void;
  /** A round of the sweep ended. */
  readonly onSweep: (isDone: boolean) => void;
  /** A maintenance task ended. @param name from the code, such as 'retention'. */
  readonly onTaskEnd: (name: string, durationMs: number, isDone: boolean) => void;
  /** Retention dropped partitions of history. */
  readonly onDropped: (partitions: number) => void;
  readonly onMail: (state: MailVerdict['state']) => void;
}

const choreBucketsS = [0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120, 600, 3_600];
const msPerS = 1_000;

/** Adds the metrics of the sweep, of maintenance tasks and of mail. */
export function addMaintenanceMetrics(registry: Registry, nowMs: () => number): MaintenanceMetrics {
  const countSweep = addCounter(registry, {
    name: 'callout_sweeps_total',
    help: 'Rounds of the sweep, by result: done or failed.',
    labels: ['result'],
    known: ['done', 'failed'],
  });
  const countSwept = addCounter(registry, {
    name: 'callout_swept_total',
    help: 'What the sweep has enqueued: events that were late, webhooks with callouts that were due.',
    labels: ['what'],
    known: ['events', 'webhooks'],
  });
  const observeChore = addHistogram(registry, {
    name: 'callout_chore_duration_seconds',
    help: 'How long chores took, such as retention, by result: done or failed. One that another process does counts as done.',
    labels: ['chore', 'result'],
    buckets: choreBucketsS,
  });
  const lastDone = new Map<string, number>();
  addReadGauge(registry, {
    name: 'callout_chore_last_done_timestamp_seconds',
    help: 'When each chore was last done, in seconds since 1970.',
    labels: ['chore'],
    read: () => [...lastDone].map(([chore, atMs]) => [atMs / msPerS, chore] as const),
  });
  const countDropped = addCounter(registry, {
    name: 'callout_retention_dropped_partitions_total',
    help: 'Partitions of history that were dropped, past their retention.',
  });
  const countMail = addCounter(registry, {
    name: 'callout_mails_total',
    help: 'Attempts to send a mail, by result: sent, waiting (it is tried again), refused or failed.',
    labels: ['result'],
    known: ['sent', 'waiting', 'refused', 'failed'],
  });
  return {
    onSwept: (what, count) => countSwept(count, what),
    onSweep: (isDone) => countSweep(1, isDone ? 'done' : 'failed'),
    onTaskEnd(name, durationMs, isDone) {
      observeChore(durationMs / msPerS, name, isDone ? 'done' : 'failed');
      if (isDone) lastDone.set(name, nowMs());
    },
    onDropped: (partitions) => countDropped(partitions),
    onMail: (state) => countMail(1, state),
  };
}
