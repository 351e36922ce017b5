import { recordName, type RecordOfWebhook } from '@callout/domain/callout/claimed';
import { createLaneClaims, type LaneClaimsDeps, type SuspendedFor } from './lane-claims.ts';
import { type CallResult, createLaneSlots, type Lane, type LaneSlotsDeps } from './lane-slots.ts';
import type { LeasedCallout } from './claim.ts';
import { createLongBodies, type LongBodies } from '../payload/long-bodies.ts';

export interface LanesDeps extends LaneSlotsDeps, Pick<LaneClaimsDeps, 'claim' | 'gatherMs' | 'onError'> {
  /**
   * Sends one callout, calls `answered` when the call to its receiver is over, and resolves when its result is stored.
   * Never rejects.
   */
  deliver: (callout: LeasedCallout, answered: (result: CallResult) => void) => Promise<void>;
  /** Called when something waits for the results of callouts in flight. */
  onAwaited: () => void;
}

export interface Lanes {
  /** Room for long bodies: what is claimed has taken it, and gives it back when its result is stored. */
  readonly longBodies: LongBodies;
  /** Enqueues webhooks that may have due callouts. */
  enqueue(webhookKeys: readonly number[]): void;
  /** Sends callouts that were leased elsewhere. */
  start(callouts: readonly LeasedCallout[]): void;
  /** Nothing more is claimed while suspended for any reason. */
  suspend(why: SuspendedFor, isSuspended: boolean): void;
  /**
   * Reserves slots for new callouts of a webhook, as many of the requested ones as it may have now: none while it has a
   * backlog or is slow, or while another webhook waits for a slot. Each is to be used by `startReserved` or given back.
   */
  reserve(webhookKey: number, tenantId: number, requested: number): number;
  giveBack(webhookKey: number, slots: number): void;
  /** Sends callouts for which slots are reserved. */
  startReserved(callouts: readonly LeasedCallout[]): void;
  /** Callouts of these records were stored that wait for an earlier one to end. */
  addSuccessors(records: readonly RecordOfWebhook[]): void;
  /**
   * Whether something waits for the end of a callout: the next one of its record, a slot of this process, or draining.
   */
  isAwaited(callout: RecordOfWebhook): boolean;
  /** Callouts that have a slot of the process, and reserved slots. */
  inFlight(): number;
  /** How many more callouts of a webhook can be sent now. */
  capacityFor(webhookKey: number): number;
  /** Claims nothing more and waits for the callouts in flight. */
  drain(): Promise<void>;
}

/**
 * A lane per webhook: a bounded number of calls under way, filled from PostgreSQL as slots are freed. However long a
 * backlog, nothing of it is kept in memory.
 */
export function createLanes(deps: LanesDeps): Lanes {
  const { maxInFlight } = deps;
  const slots = createLaneSlots(deps);
  const claims = createLaneClaims({ ...deps, slots, start });
  const successors = createSuccessors();
  const longBodies = createLongBodies(enqueue);
  /** Claimed callouts whose slots were reserved for others meanwhile: each is sent when a slot is freed. */
  const withoutSlot: { lane: Lane; callout: LeasedCallout }[] = [];
  let isDraining = false;
  /** Called when the last callout in flight is done, while this drains. */
  let onEmpty: () => void = () => undefined;

  function enqueue(webhookKeys: readonly number[]): void {
    if (webhookKeys.length === 0) return;
    for (const webhookKey of webhookKeys) slots.laneOf(webhookKey).mayHaveDue = true;
    claims.onEnqueued();
  }

  function start(callout: LeasedCallout): void {
    const lane = slots.laneOf(callout.webhookKey);
    lane.tenantId = callout.tenantId;
    const hasSlot = slots.inFlight() < maxInFlight;
    slots.acquire(lane);
    if (hasSlot) send(lane, callout);
    else withoutSlot.push({ lane, callout });
  }

  /** Called after slots of the process were freed. */
  function sendWithoutSlot(): void {
    while (withoutSlot.length > 0 && slots.inFlight() - withoutSlot.length < maxInFlight) {
      const next = withoutSlot.shift();
      if (next) send(next.lane, next.callout);
    }
  }

  /** Sends a callout that has its slot. */
  function send(lane: Lane, callout: LeasedCallout): void {
    let isUnderWay = true;
    const releaseLane = (): void => {
      if (!isUnderWay) return;
      isUnderWay = false;
      slots.releaseLane(lane);
      claims.onFreed(1);
      // The last claim gave callouts back, so it may have left others behind them. Only after a call, which makes progress:
      // otherwise it would find the same again.
      if (longBodies.hadNone(callout)) lane.mayHaveDue = true;
      if (lane.mayHaveDue || claims.isKeptWaiting()) claims.soon();
    };
    const answered = (result: CallResult): void => {
      if (isUnderWay) slots.recordResult(callout.webhookKey, result);
      releaseLane();
    };
    // Counted instead of kept in a set: the tables of a set that thousands pass through each second cost more than
    // sending.
    void deps.deliver(callout, answered).finally(() => {
      releaseLane();
      slots.releaseProcess();
      longBodies.release(callout.id);
      sendWithoutSlot();
      claims.removeIfIdle(lane);
      if (isDraining && slots.inFlight() === 0) onEmpty();
      // Other webhooks may have waited for a slot of the process.
      if (slots.inFlight() === maxInFlight - 1) claims.soon();
    });
  }

  return {
    longBodies,
    enqueue,
    start(callouts) {
      for (const callout of callouts) start(callout);
    },
    suspend: (why, isSuspended) => claims.suspend(why, isSuspended),
    reserve(webhookKey, tenantId, requested) {
      return isDraining || claims.isSuspended() || claims.isKeptWaiting()
        ? 0
        : slots.reserve(webhookKey, tenantId, requested);
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
    addSuccessors(records) {
      if (records.length === 0) return;
      successors.add(records);
      // The result of the callout before it may already be in memory.
      deps.onAwaited();
    },
    isAwaited(callout) {
      const hasSuccessor = successors.remove(callout);
      // With a backlog, the next one of the record would have to wait anyway.
      if (hasSuccessor && !slots.hasBacklog(callout.webhookKey)) return true;
      return slots.inFlight() >= maxInFlight || isDraining;
    },
    inFlight: () => slots.inFlight() - withoutSlot.length,
    capacityFor: (webhookKey) => (isDraining || claims.isSuspended() ? 0 : slots.capacityFor(webhookKey)),
    async drain() {
      isDraining = true;
      await claims.stop();
      deps.onAwaited();
      if (slots.inFlight() > 0) await new Promise<void>((resolve) => (onEmpty = resolve));
    },
  };
}

/** Maximum number of records. */
const maxRecords = 10_000;

/**
 * Counts the waiting callouts per record, so that the result of the callout before them is committed at once. A count
 * that is too low costs them some milliseconds; one that is too high costs a commit.
 */
function createSuccessors() {
  const waiting = new Map<string, number>();
  return {
    add(records: readonly RecordOfWebhook[]): void {
      for (const record of records) {
        const name = recordName(record);
        waiting.set(name, (waiting.get(name) ?? 0) + 1);
      }
      for (const oldest of waiting.keys()) {
        if (waiting.size <= maxRecords) break;
        waiting.delete(oldest);
      }
    },
    /** Whether a callout waited for the end of one of this record. Counts it as no longer waiting. */
    remove(record: RecordOfWebhook): boolean {
      if (waiting.size === 0) return false;
      const name = recordName(record);
      const count = waiting.get(name) ?? 0;
      if (count > 1) waiting.set(name, count - 1);
      else waiting.delete(name);
      return count > 0;
    },
  };
}
