import type { LongBodies } from '../../payload/long-bodies.ts';
import type { FreeSlots, LeasedCallout, RateGate } from '../claim.ts';
import type { CallResult } from './lane-limits.ts';

/** What the engine does with callouts, when and for which webhooks the engine decides. */
export interface Delivery {
  /**
   * Leases due callouts of webhooks from PostgreSQL, as many as there are slots.
   * @param longBodies where room is taken for long bodies.
   * @param onGates called with the limits that webhooks have for their calls, where there are some.
   */
  readonly claim: (
    requested: readonly FreeSlots[],
    longBodies: LongBodies,
    onGates: (gates: readonly RateGate[]) => void,
  ) => Promise<LeasedCallout[]>;
  /** Leases held callouts for which their threshold has capacity again, up to a limit. */
  readonly release: (
    slotsOf: (webhookKey: number) => number,
    atMost: number,
    longBodies: LongBodies,
  ) => Promise<LeasedCallout[]>;
  /**
   * Delivers one callout, and resolves when its result is stored. Never rejects.
   * @param answered to be called with the result of the call, once the result is about to be stored; not called where
   * the receiver was not called, or nobody knows whether the receiver was called.
   */
  readonly deliver: (callout: LeasedCallout, answered: (result: CallResult) => void) => Promise<void>;
  /** Something waits for the results of callouts in flight: they are to be stored at once. */
  readonly hurry: () => void;
}
