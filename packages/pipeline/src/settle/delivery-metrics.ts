import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import { type Settlement, tracesOf } from './settlement.rules.ts';
import {
  addCounter,
  addHistogram,
  addTracedHistogram,
  commitBucketsS,
  type TracesOf,
} from '@callout/runtime/metrics/observed';
import { addReadGauge } from '@callout/runtime/metrics/read-gauge';
import type { Registry } from '@callout/runtime/metrics/registry';

/** Why a callout was given back without a call. */
export type NotMadeReason =
  'targetUnreadable' | 'leaseTooShort' | 'rateElapsed' | 'clockWrong' | 'noConnection' | 'ended';

/** The metrics of claiming, sending and settling. */
export interface DeliveryMetrics {
  /** Due callouts were claimed. @param tracesOf their traces. */
  readonly onClaim: (callouts: number, durationMs: number, tracesOf: TracesOf) => void;
  /** A threshold held callouts. */
  readonly onHeld: (callouts: number) => void;
  /** Held callouts were released. */
  readonly onReleased: (callouts: number) => void;
  /** A call was made. */
  readonly onCall: (call: MadeCall) => void;
  readonly onNotMade: (reason: NotMadeReason) => void;
  /** Results were stored together. @param paused the number of webhooks that they paused. */
  readonly onSettled: (settlements: readonly Settlement[], paused: number, durationMs: number) => void;
  /** Results could not be stored. */
  readonly onSettleFailed: (settlements: readonly Settlement[], durationMs: number) => void;
  /** Sets the source of the number of calls under way in this process, and of their maximum. */
  readonly watchCalls: (inFlight: () => number, most: number) => void;
}

/** One HTTP request for a callout. */
export interface MadeCall {
  readonly callout: Pick<ClaimedCallout, 'kind' | 'attemptsMade' | 'isRedelivery' | 'acceptedAt' | 'traceParent'>;
  readonly attempt: Pick<Settlement['attempt'], 'startedAt' | 'durationMs' | 'status' | 'failureReason'>;
}

/** Receivers have 10 s to respond unless CALLOUT_TIMEOUT_MS is set. */
const callBucketsS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/**
 * From callouts that are sent as soon as they are matched to callouts that waited hours for a receiver that was down.
 */
const delayBucketsS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600, 21_600];
const resultBuckets = [1, 2, 5, 10, 25, 50, 100, 200];
const msPerS = 1_000;

/** Adds the metrics of delivery. Labels are few: no tenant, no webhook, no host. */
export function addDeliveryMetrics(registry: Registry): DeliveryMetrics {
  const observeClaim = addTracedHistogram(registry, {
    name: 'callout_claim_duration_seconds',
    help: 'How long claims of due callouts took. What is sent right after its match is not claimed.',
    buckets: commitBucketsS,
  });
  const countClaimed = addCounter(registry, {
    name: 'callout_claimed_callouts_total',
    help: 'Callouts that were claimed.',
  });
  const countHeld = addCounter(registry, {
    name: 'callout_held_callouts_total',
    help: 'Callouts that a threshold has held back.',
  });
  const countReleased = addCounter(registry, {
    name: 'callout_released_callouts_total',
    help: 'Held callouts that were released, once their threshold had room again.',
  });
  const observeCall = addTracedHistogram(registry, {
    name: 'callout_call_duration_seconds',
    help: 'From the beginning of a call to its answer or failure, by outcome: delivered, rejected (an answer other than 2xx) or failed (no answer).',
    labels: ['outcome'],
    buckets: callBucketsS,
  });
  const countCall = addCounter(registry, {
    name: 'callout_calls_total',
    help: 'Calls by outcome, and by reason: the class of the status, such as 5xx, or why there was no answer.',
    labels: ['outcome', 'reason'],
  });
  const observeDelay = addTracedHistogram(registry, {
    name: 'callout_first_attempt_delay_seconds',
    help: 'From accepting an event to the first call for each of its callouts, with any wait for an earlier one, a pause or a threshold.',
    buckets: delayBucketsS,
  });
  const countNotMade = addCounter(registry, {
    name: 'callout_calls_not_made_total',
    help: 'Claimed callouts that were given back without a call, by reason: targetUnreadable (see the log), leaseTooShort (PostgreSQL is slow), clockWrong, rateElapsed, noConnection or ended.',
    labels: ['reason'],
    known: ['targetUnreadable', 'leaseTooShort', 'rateElapsed', 'clockWrong', 'noConnection', 'ended'],
  });
  const countSettled = addCounter(registry, {
    name: 'callout_attempts_total',
    help: 'Attempts by kind of callout, and by what follows: delivered, retry, failed (the last one), cancelled, or probe (a failed one, which does not count).',
    labels: ['kind', 'result'],
  });
  const countPauses = addCounter(registry, {
    name: 'callout_pauses_total',
    help: 'How often a webhook was paused because its receiver was down.',
  });
  const observeSettle = addTracedHistogram(registry, {
    name: 'callout_settle_duration_seconds',
    help: 'How long it took to store results of calls, by result: stored or failed.',
    labels: ['result'],
    known: ['stored', 'failed'],
    buckets: commitBucketsS,
  });
  const observeResults = addHistogram(registry, {
    name: 'callout_settle_results',
    help: 'Results of calls that were stored together.',
    buckets: resultBuckets,
  });
  return {
    onClaim(callouts, durationMs, tracesOf) {
      observeClaim(durationMs / msPerS, tracesOf);
      if (callouts > 0) countClaimed(callouts);
    },
    onHeld: (callouts) => countHeld(callouts),
    onReleased(callouts) {
      if (callouts > 0) countReleased(callouts);
    },
    onCall({ callout, attempt }) {
      const { status, failureReason, startedAt, durationMs } = attempt;
      const outcome = outcomeOf(status);
      const traceOf = () => [callout.traceParent];
      observeCall(durationMs / msPerS, traceOf, outcome);
      countCall(1, outcome, failureReason ?? classOf(status));
      const { acceptedAt, attemptsMade, isRedelivery } = callout;
      if (acceptedAt === null || attemptsMade > 0 || isRedelivery) return;
      // The times come from the clocks of two machines: one may be ahead.
      observeDelay(Math.max(0, startedAt.getTime() - acceptedAt.getTime()) / msPerS, traceOf);
    },
    onNotMade: (reason) => countNotMade(1, reason),
    onSettled(settlements, paused, durationMs) {
      observeSettle(durationMs / msPerS, () => tracesOf(settlements), 'stored');
      observeResults(settlements.length);
      for (const { callout, attempt, next } of settlements) {
        const retry = attempt.number === 0 ? 'probe' : 'retry';
        countSettled(1, callout.kind, next.kind === 'ended' ? next.state : retry);
      }
      if (paused > 0) countPauses(paused);
    },
    onSettleFailed(settlements, durationMs) {
      observeSettle(durationMs / msPerS, () => tracesOf(settlements), 'failed');
    },
    watchCalls(inFlight, most) {
      addReadGauge(registry, {
        name: 'callout_calls_in_flight',
        help: 'Calls in progress: sent, or answered and not stored yet.',
        labels: [],
        read: () => [[inFlight()]],
      });
      addReadGauge(registry, {
        name: 'callout_calls_in_flight_max',
        help: 'The most calls that may be in progress: CALLOUTS_IN_FLIGHT.',
        labels: [],
        read: () => [[most]],
      });
    },
  };
}

function outcomeOf(status: number | null): 'delivered' | 'rejected' | 'failed' {
  if (status === null) return 'failed';
  return status >= 200 && status <= 299 ? 'delivered' : 'rejected';
}

/** Receivers choose their statuses, so the label is their class. */
function classOf(status: number | null): string {
  return status === null ? 'other' : `${Math.floor(status / 100)}xx`;
}
