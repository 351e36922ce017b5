import type { RecordOfWebhook } from '@callout/core/match';
import { createFollowers } from './followers.ts';
import { createLaneClaims, type LaneClaimsDeps } from './lane-claims.ts';
import type { CallResult } from './lane-limits.ts';
import { createLaneSlots, type Lane, type LaneSlotsDeps } from './lane-slots.ts';
import type { LeasedCallout } from '../lease.ts';

export interface LanesDeps extends LaneSlotsDeps, Pick<LaneClaimsDeps, 'claim' | 'gatherMs' | 'onError'> {
  /**
   * Sends one callout, calls `answered` when its receiver is done with it, and resolves when its result is stored.
   * Never rejects.
   */
  deliver: (callout: LeasedCallout, answered: (result: CallResult) => void) => Promise<void>;
  /** Told that something waits for the results of callouts in hand. */
  onAwaited: () => void;
}

export interface Lanes {
  /** These webhooks may have due callouts. */
  enqueue(webhookKeys: readonly number[]): void;
  /** Sends what was leased elsewhere. */
  take(callouts: readonly LeasedCallout[]): void;
  /** While held it claims nothing more: what came of its calls could not be stored. */
  hold(isHeld: boolean): void;
  /**
   * Takes slots for new callouts of a webhook, as many of those wanted as it may have now: none while it has a backlog or
   * is slow, or while another webhook waits for a slot. Each is to be used by `startReserved` or given back.
   */
  reserve(webhookKey: number, tenantId: number, wanted: number): number;
  giveBack(webhookKey: number, slots: number): void;
  /** Sends callouts for which slots are reserved. */
  startReserved(callouts: readonly LeasedCallout[]): void;
  /** Callouts of these records were stored that wait for an earlier one to end. */
  follow(records: readonly RecordOfWebhook[]): void;
  /** Whether something waits for the end of a callout: the next one of its record, a slot of this process, or its end. */
  isAwaited(callout: RecordOfWebhook): boolean;
  /** Callouts that have a slot of the process, and slots that are reserved. */
  inFlight(): number;
  /** How many more callouts of a webhook can be sent now. */
  roomFor(webhookKey: number): number;
  /** Claims nothing more and waits for the callouts in hand. */
  drain(): Promise<void>;
}

/**
 * A lane per webhook: a bounded number of calls under way, filled from PostgreSQL as slots come free. However long a
 * backlog, nothing of it is kept in memory.
 */
export function createLanes(deps: LanesDeps): Lanes {
  const { maxInFlight } = deps;
  const slots = createLaneSlots(deps);
  const claims = createLaneClaims({ ...deps, slots, start });
  const followers = createFollowers();
  /** Claimed callouts whose slots were reserved for others meanwhile: each is sent when one comes free. */
  const withoutSlot: { lane: Lane; callout: LeasedCallout }[] = [];
  let isDraining = false;
  /** Told when the last callout in hand is done, once this drains. */
  let onEmpty: () => void = () => undefined;

  function start(callout: LeasedCallout): void {
    const lane = slots.laneOf(callout.webhookKey);
    lane.tenantId = callout.tenantId;
    const hasSlot = slots.inFlight() < maxInFlight;
    slots.enter(lane);
    if (hasSlot) send(lane, callout);
    else withoutSlot.push({ lane, callout });
  }

  /** After slots of the process came free. */
  function sendWithoutSlot(): void {
    while (withoutSlot.length > 0 && slots.inFlight() - withoutSlot.length < maxInFlight) {
      const next = withoutSlot.shift();
      if (next) send(next.lane, next.callout);
    }
  }

  /** Sends a callout that has its slot. */
  function send(lane: Lane, callout: LeasedCallout): void {
    let isUnderWay = true;
    const leaveLane = (): void => {
      if (!isUnderWay) return;
      isUnderWay = false;
      slots.leave(lane);
      claims.onFreed(1);
      if (lane.mayHaveDue || claims.isKeptWaiting()) claims.soon();
    };
    const answered = (result: CallResult): void => {
      if (isUnderWay) slots.learn(callout.webhookKey, result);
      leaveLane();
    };
    // Counted and not kept in a set: the tables of a set that thousands pass through each second cost more than sending.
    void deps.deliver(callout, answered).finally(() => {
      leaveLane();
      slots.release();
      sendWithoutSlot();
      claims.removeIfIdle(lane);
      if (isDraining && slots.inFlight() === 0) onEmpty();
      // Others may have been kept waiting by the limit of the process.
      if (slots.inFlight() === maxInFlight - 1) claims.soon();
    });
  }

  return {
    enqueue(webhookKeys) {
      for (const webhookKey of webhookKeys) slots.laneOf(webhookKey).mayHaveDue = true;
      claims.onEnqueued();
    },
    take(callouts) {
      for (const callout of callouts) start(callout);
    },
    hold: (isHeld) => claims.hold(isHeld),
    reserve(webhookKey, tenantId, wanted) {
      return isDraining || claims.isHeld() || claims.isKeptWaiting() ? 0 : slots.reserve(webhookKey, tenantId, wanted);
    },
    giveBack(webhookKey, count) {
      const lane = slots.laneOf(webhookKey);
      slots.giveBack(lane, count);
      sendWithoutSlot();
      claims.onFreed(count);
      claims.removeIfIdle(lane);
      if (isDraining && slots.inFlight() === 0) onEmpty();
      else claims.soon();
    },
    startReserved(callouts) {
      for (const callout of callouts) send(slots.useReserved(callout.webhookKey), callout);
    },
    follow(records) {
      if (records.length === 0) return;
      followers.add(records);
      // The result of the one before may be in hand already.
      deps.onAwaited();
    },
    isAwaited(callout) {
      const isFollowed = followers.take(callout);
      // The next one of the record would only wait on, with the backlog.
      if (isFollowed && !slots.hasBacklog(callout.webhookKey)) return true;
      return slots.inFlight() >= maxInFlight || isDraining;
    },
    inFlight: () => slots.inFlight() - withoutSlot.length,
    roomFor: (webhookKey) => (isDraining || claims.isHeld() ? 0 : slots.roomFor(webhookKey)),
    async drain() {
      isDraining = true;
      await claims.stop();
      deps.onAwaited();
      if (slots.inFlight() > 0) await new Promise<void>((resolve) => (onEmpty = resolve));
    },
  };
}
