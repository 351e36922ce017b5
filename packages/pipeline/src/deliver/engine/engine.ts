import type { Pool } from 'pg';
import { logRepeats } from '@callout/runtime/log/log-repeats';
import type { Logger } from '@callout/runtime/log/logger';
import { createLongBodies } from '../../payload/long-bodies.ts';
import { endCalls } from '../../limits/limited-calls.ts';
import type { Delivery } from './delivery.ts';
import { DueWebhooks } from './due-webhooks.ts';
import { Lanes, type LaneLimits, type SuspendedFor } from './lanes.ts';
import { LeaseRenewal, renewLeases } from './lease-renewal.ts';
import { RateGates } from './rate-gates.ts';
import { startRelease } from './release.ts';
import { beginReservation, type Reservation } from './reservation.ts';

// The machinery that decides when `deliver.ts` is called, and for which callouts. An arrow is a call; each part knows
// only the parts below it.
//
//   keys of webhooks ──► enqueue     reserve ◄── match, for callouts that a transaction is storing
//   (Redis, settle, sweep) │            │
//                          │       reservation
//                          ▼            ▼
//        ┌───────────────────────── lanes ◄── release (of callouts that the threshold held, on a timer)
//        │                  a loop: claim for free slots, deliver, free the slot, claim
//        │                              │
//        │ delivery.claim               ├── claim plan ── lane slots ── lane limits, share slots
//        │ delivery.deliver             ├── successors    (whose result is waited for)
//        ▼                              ├── lease renewal (of calls that take long)
//   deliver.ts                          ├── rate gates  ┐
//                                       ├── long bodies ├─► due webhooks (with their alarms), which the lanes listen to
//                                       └───────────────┘
//
// Callouts go in leased: by `delivery.claim`, by `delivery.release` or by match. Each has a slot of its lane until its
// receiver has answered, and a slot of the process, room for a long body and a lease until its result is stored.
// Nothing here is needed for correctness: every lease ends, and the sweep finds what is due.

export interface EngineDeps extends LaneLimits {
  readonly pool: Pool;
  readonly leaseMs: number;
  readonly log: Logger;
}

/** Bounds what one process sends at once, and renews the leases of what it sends. */
export interface Engine {
  /** Webhooks may have callouts that are due, now or in `waitMs`. */
  enqueue(webhookKeys: readonly number[], waitMs?: number): void;
  /** Reserves slots for new callouts, which are sent without a claim. */
  reserve(): Reservation;
  /** How many more callouts of a webhook can be sent now. */
  capacityFor(webhookKey: number): number;
  /** Nothing is claimed while suspended for any reason. */
  suspend(why: SuspendedFor, isSuspended: boolean): void;
  /** Begins to claim and to send. */
  start(delivery: Delivery): RunningEngine;
}

/** The engine at work. */
export interface RunningEngine {
  /** Callouts that have a slot of the process, and reserved slots. */
  readonly inFlight: () => number;
  /** Claims nothing more, and waits until the callouts in flight are delivered. */
  readonly drain: () => Promise<void>;
}

export function createEngine({ pool, leaseMs, log, ...limits }: EngineDeps): Engine {
  const { nowMs, maxInFlight } = limits;
  const due = new DueWebhooks();
  const longBodies = createLongBodies((webhookKeys) => due.add(webhookKeys));
  const gates = new RateGates({ endCalls: (calls) => endCalls(pool, calls), due, nowMs, log });
  const leases = new LeaseRenewal({
    renew: (callouts) => renewLeases(pool, callouts, leaseMs),
    leaseMs,
    nowMs,
    onError: logRepeats(log, 'leases of calls under way could not be renewed; this is tried again'),
  });
  const onClaimFailed = logRepeats(log, 'a claim failed; the sweep enqueues its webhooks again');
  const lanes = new Lanes(limits, { due, longBodies, gates, leases, onClaimFailed });
  return {
    enqueue(webhookKeys, waitMs = 0) {
      if (waitMs === 0) due.add(webhookKeys);
      else for (const webhookKey of webhookKeys) due.addLater(webhookKey, waitMs);
    },
    reserve: () => beginReservation(lanes, longBodies),
    capacityFor: (webhookKey) => lanes.capacityFor(webhookKey),
    suspend: (why, isSuspended) => lanes.suspend(why, isSuspended),
    start(delivery) {
      lanes.begin(delivery);
      const onError = logRepeats(log, 'held callouts could not be released; this is tried again');
      const release = startRelease({ release: delivery.release, lanes, longBodies, maxInFlight, onError });
      return {
        inFlight: () => lanes.inFlight,
        drain: async () => {
          await release.stop();
          await lanes.drain();
          await gates.drain();
          await leases.stop();
          due.stop();
        },
      };
    },
  };
}
