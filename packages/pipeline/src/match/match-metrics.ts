import {
  addCounter,
  addHistogram,
  addTracedHistogram,
  commitBucketsS,
  type TracesOf,
} from '@callout/runtime/metrics/observed';
import type { Registry } from '@callout/runtime/metrics/registry';

/** A batch of events that was matched. */
export interface FinishedMatch {
  readonly events: number;
  /** Callouts made of these events. */
  readonly callouts: number;
  readonly durationMs: number;
  readonly tracesOf: TracesOf;
}

export interface MatchMetrics {
  /** A batch of events was matched. */
  readonly onMatch: (match: FinishedMatch) => void;
  /** A batch of events could not be matched. */
  readonly onMatchFailed: (durationMs: number) => void;
}

const eventBuckets = [1, 2, 5, 10, 25, 50, 100, 250, 500];
const msPerS = 1_000;

/** Adds the metrics of matching. */
export function addMatchMetrics(registry: Registry): MatchMetrics {
  const observeDuration = addTracedHistogram(registry, {
    name: 'callout_match_duration_seconds',
    help: 'How long it took to match a batch of events, by result: matched or failed.',
    labels: ['result'],
    known: ['matched', 'failed'],
    buckets: commitBucketsS,
  });
  const observeEvents = addHistogram(registry, {
    name: 'callout_match_events',
    help: 'Events that were matched in one batch.',
    buckets: eventBuckets,
  });
  const countEvents = addCounter(registry, {
    name: 'callout_matched_events_total',
    help: 'Events that were matched.',
  });
  const countCallouts = addCounter(registry, {
    name: 'callout_created_callouts_total',
    help: 'Callouts that matching has made.',
  });
  return {
    onMatch({ events, callouts, durationMs, tracesOf }) {
      if (events === 0) return;
      observeDuration(durationMs / msPerS, tracesOf, 'matched');
      observeEvents(events);
      countEvents(events);
      countCallouts(callouts);
    },
    onMatchFailed: (durationMs) => observeDuration(durationMs / msPerS, () => [], 'failed'),
  };
}
