import { LRUCache } from 'lru-cache';
import { createBatches } from '@callout/runtime/concurrency/batches';
import type { Logger } from '@callout/runtime/log/logger';
import type { LimitedCall } from '../rate/limited-calls.ts';
import type { FreeSlots, RateGate, LeasedCallout } from './claim.ts';

export interface RateGatesDeps {
  /** Leases due callouts from PostgreSQL, and reports what it found at the limits of webhooks. */
  claim: (wanted: readonly FreeSlots[], onGates: (gates: readonly RateGate[]) => void) => Promise<LeasedCallout[]>;
  /** Stores that calls are over, so that others of their webhooks may begin. */
  endCalls: (calls: readonly LimitedCall[]) => Promise<void>;
  /** Enqueues webhooks that may have callouts to send now. */
  enqueue: (webhookKeys: readonly number[]) => void;
  /** Enqueues a webhook after a time. */
  alarm: (webhookKey: number, waitMs: number) => void;
  /** A monotonic clock in milliseconds. */
  nowMs: () => number;
  log: Logger;
}

/** Only claims that find a rate closed add to it. */
const maxKept = 10_000;
/** How long a rate counts as closed without another look: its owner may raise it meanwhile. */
const maxClosedMs = 1_000;
/** Until a claim that found another at the same webhook is made again, in ms. */
const lockedWaitMs = 100;
const maxOverAtOnce = 500;

/**
 * Whichever worker begins the call that uses a rate up has an alarm for the next one, so one worker at a time looks at a
 * webhook, however many there are. The sweep finds the webhooks of a worker that died. Until a rate is open again, new
 * callouts of its webhook cause no claims here.
 */
export function createRateGates(deps: RateGatesDeps) {
  const { claim, endCalls, enqueue, alarm, nowMs, log } = deps;
  /** Until when rates are closed, by the key of their webhook. */
  const closed = new LRUCache<number, number>({ max: maxKept });
  const over = createBatches<LimitedCall, void>({
    async write(calls) {
      await endCalls(calls);
      enqueue([...new Set(calls.map(({ webhookKey }) => webhookKey))]);
      return [];
    },
    gatherMs: 0,
    maxWeight: maxOverAtOnce,
    concurrency: 1,
  });

  function onGates(gates: readonly RateGate[]): void {
    for (const { webhookKey, gate, opensInMs } of gates) {
      if (gate === 'locked') alarm(webhookKey, lockedWaitMs);
      if (opensInMs === null || opensInMs <= 0) continue;
      if (gate === 'taken') alarm(webhookKey, opensInMs);
      closed.set(webhookKey, nowMs() + Math.min(maxClosedMs, opensInMs));
    }
  }

  function isOpen({ webhookKey }: FreeSlots): boolean {
    const untilMs = closed.get(webhookKey);
    if (untilMs === undefined) return true;
    if (nowMs() < untilMs) return false;
    closed.delete(webhookKey);
    return true;
  }

  return {
    /** Claims for the webhooks whose rates may allow a call. */
    async claim(wanted: readonly FreeSlots[]): Promise<LeasedCallout[]> {
      const open = closed.size === 0 ? wanted : wanted.filter(isOpen);
      return open.length === 0 ? [] : claim(open, onGates);
    },
    /** The call of a callout is over, or was not made. */
    onCallOver(callout: LimitedCall): void {
      if (callout.holdsPlace !== true) return;
      over.add(callout).catch((err: unknown) => {
        const { id: calloutId, webhookKey } = callout;
        log.warn(
          { err, calloutId, webhookKey },
          'a call that is over counts for maxConcurrentCalls until its lease ends',
        );
      });
    },
    /** Stores which calls are over. */
    drain: () => over.drain(),
  };
}
