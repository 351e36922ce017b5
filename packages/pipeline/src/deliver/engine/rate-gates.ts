import { LRUCache } from 'lru-cache';
import { createBatches, type Batches } from '@callout/runtime/concurrency/batches';
import type { Logger } from '@callout/runtime/log/logger';
import type { LimitedCall } from '../../limits/limited-calls.ts';
import type { FreeSlots, RateGate } from '../claim.ts';
import type { DueWebhooks } from './due-webhooks.ts';

export interface RateGatesDeps {
  /** Stores that calls are over, so that more calls of the webhooks may begin. */
  readonly endCalls: (calls: readonly LimitedCall[]) => Promise<void>;
  readonly due: Pick<DueWebhooks, 'add' | 'addLater'>;
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
  readonly log: Logger;
}

/** Only claims that find a rate closed add to the map. */
const maxKept = 10_000;
/** How long a rate counts as closed without another look: the owner of the webhook may raise the rate meanwhile. */
const maxClosedMs = 1_000;
/** Until a claim is made again that found another claim at the same webhook, in ms. */
const lockedWaitMs = 100;
const maxOverAtOnce = 500;

/**
 * The limits that webhooks have for their calls. The worker that begins the call that uses a rate up has an alarm for the
 * next call, so one worker at a time looks at a webhook, however many there are. The sweep finds the webhooks of a
 * worker that died. Until a rate is open again, new callouts of the webhook cause no claims here.
 */
export class RateGates {
  readonly #deps: RateGatesDeps;
  /** Until when rates are closed, by the key of the webhook. */
  readonly #closed = new LRUCache<number, number>({ max: maxKept });
  readonly #over: Batches<LimitedCall, void>;

  constructor(deps: RateGatesDeps) {
    this.#deps = deps;
    this.#over = createBatches<LimitedCall, void>({
      async write(calls) {
        await deps.endCalls(calls);
        deps.due.add([...new Set(calls.map(({ webhookKey }) => webhookKey))]);
        return [];
      },
      gatherMs: 0,
      maxWeight: maxOverAtOnce,
      concurrency: 1,
    });
  }

  /** The webhooks whose rates may allow a call. */
  openAmong(requested: readonly FreeSlots[]): readonly FreeSlots[] {
    return this.#closed.size === 0 ? requested : requested.filter(({ webhookKey }) => this.#isOpen(webhookKey));
  }

  /** A claim has found gates. */
  onFound(gates: readonly RateGate[]): void {
    const { due, nowMs } = this.#deps;
    for (const { webhookKey, gate, opensInMs } of gates) {
      if (gate === 'locked') due.addLater(webhookKey, lockedWaitMs);
      if (opensInMs === null || opensInMs <= 0) continue;
      if (gate === 'taken') due.addLater(webhookKey, opensInMs);
      this.#closed.set(webhookKey, nowMs() + Math.min(maxClosedMs, opensInMs));
    }
  }

  /** The call of a callout is over, or was not made. */
  onCallOver(callout: LimitedCall): void {
    if (callout.holdsPlace !== true) return;
    this.#over.add(callout).catch((err: unknown) => {
      const { id: calloutId, webhookKey } = callout;
      this.#deps.log.warn(
        { err, calloutId, webhookKey },
        'a call that is over counts for maxConcurrentCalls until its lease ends',
      );
    });
  }

  /** Stores which calls are over. */
  drain(): Promise<void> {
    return this.#over.drain();
  }

  #isOpen(webhookKey: number): boolean {
    const untilMs = this.#closed.get(webhookKey);
    if (untilMs === undefined) return true;
    if (this.#deps.nowMs() < untilMs) return false;
    this.#closed.delete(webhookKey);
    return true;
  }
}
