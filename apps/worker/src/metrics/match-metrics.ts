import { addCounter, addHistogram, type Registry } from '@callout/runtime/metrics';

export interface MatchMetrics {
  /** A batch of events was matched. @param callouts that were made of them. */
  readonly onMatch: (match: { events: number; callouts: number; durationMs: number }) => void;
  /** A batch of events could not be matched. */
  readonly onMatchFailed: (durationMs: number) => void;
}

const durationBucketsS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const eventBuckets = [1, 2, 5, 10, 25, 50, 100, 250, 500];
const msPerS = 1_000;

/** Adds what is told of matching. */
export function addMatchMetrics(registry: Registry): MatchMetrics {
  const observeDuration = addHistogram(registry, {
    name: 'callout_match_duration_seconds',
    help: 'How long it took to match a batch of events, by result: matched or failed.',
    labels: ['result'],
    buckets: durationBucketsS,
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
    onMatch({ events, callouts, durationMs }) {
      if (events === 0) return;
      observeDuration(durationMs / msPerS, 'matched');
      observeEvents(events);
      countEvents(events);
      countCallouts(callouts);
    },
    onMatchFailed: (durationMs) => observeDuration(durationMs / msPerS, 'failed'),
  };
}
