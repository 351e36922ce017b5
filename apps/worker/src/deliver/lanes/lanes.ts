import type { RecordOfWebhook } from '@callout/core/match';
import type { FreeSlots } from '@callout/db/claim';
import { createFollowers } from './followers.ts';
import type { CallResult } from './lane-limits.ts';
import { createLaneSlots, type Lane, type LaneSlotsDeps } from './lane-slots.ts';
import type { LeasedCallout } from '../lease.ts';
import { shareSlots } from './share-slots.ts';

export interface LanesDeps extends LaneSlotsDeps {
  /** Leases due callouts from PostgreSQL. */
  claim: (wanted: readonly FreeSlots[]) => Promise<LeasedCallout[]>;
  /**
   * Sends one callout, calls `answered` when its receiver is done with it, and resolves when its result is stored.
   * Never rejects.
   */
  deliver: (callout: LeasedCallout, answered: (result: CallResult) => void) => Promise<void>;
  /** Told that something waits for the results of callouts in hand. */
  onAwaited: () => void;
  /** How long free slots may gather before they are filled: fewer, larger claims. */
  gatherMs: number;
  onError: (error: unknown) => void;
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

/** Webhooks asked for in one claim. */
const maxLanesPerClaim = 200;

/**
 * A lane per webhook: a bounded number of calls under way, filled from PostgreSQL as slots come free. However long a
 * backlog, nothing of it is kept in memory.
 */
export function createLanes(deps: LanesDeps): Lanes {
  const { maxInFlight, maxInFlightPerWebhook, gatherMs } = deps;
  const worthAClaim = Math.max(1, Math.floor(Math.min(maxInFlight, maxInFlightPerWebhook) / 4));
  const slots = createLaneSlots(deps);
  const followers = createFollowers();
  /** When each tenant with a lane was last given slots, counted in claims. */
  const servedAt = new Map<number, number>();
  let claims = 0;
  /** Slots that came free since the last claim. */
  let freed = 0;
  /** Webhooks were enqueued since the last claim. */
  let isEnqueued = false;
  /** A lane that wants slots was given none, since others hold them. */
  let isKeptWaiting = false;
  let isHeld = false;
  let isDraining = false;
  let claiming: Promise<void> | null = null;
  let gathering: NodeJS.Timeout | null = null;
  /** Claimed callouts whose slots were reserved for others meanwhile: each is sent when one comes free. */
  const withoutSlot: { lane: Lane; callout: LeasedCallout }[] = [];
  /** Told when the last callout in hand is done, once this drains. */
  let onEmpty: () => void = () => undefined;

  function removeIfIdle(lane: Lane): void {
    if (slots.removeIfIdle(lane)) servedAt.clear();
  }

  /** After a slot came free: claims when a quarter of a lane's worth has, or when they have had time to gather. */
  function claimSoon(): void {
    if (claiming || isDraining) return;
    if (freed >= worthAClaim) claimNow();
    else gathering ??= setTimeout(claimNow, gatherMs);
  }

  function claimNow(): void {
    if (gathering) clearTimeout(gathering);
    gathering = null;
    freed = 0;
    isEnqueued = false;
    const wanted = isDraining ? [] : wantedSlots();
    if (wanted.length === 0) return;
    claiming = claim(wanted).finally(() => {
      claiming = null;
      // Enqueued meanwhile, or the lanes have had only their share of the free slots: there is more to be had at once.
      const more = countFreeSlots(wantedSlots());
      if (more > 0 && (isEnqueued || more >= worthAClaim)) claimNow();
      else if (more > 0) claimSoon();
    });
  }

  function wantedSlots(): FreeSlots[] {
    if (isHeld) return [];
    if (slots.inFlight() >= maxInFlight) {
      isKeptWaiting = slots.isWanted();
      return [];
    }
    const { wanting, slots: free } = slots.toShare();
    const wanted = shareSlots(
      wanting,
      { ...free, maxLanes: maxLanesPerClaim },
      (tenantId) => servedAt.get(tenantId) ?? 0,
    );
    isKeptWaiting = wanted.length < wanting.length;
    return wanted;
  }

  async function claim(wanted: readonly FreeSlots[]): Promise<void> {
    claims += 1;
    const asked = wanted.map(({ webhookKey, slots: count }) => ({
      lane: slots.laneOf(webhookKey),
      wanted: count,
      got: 0,
    }));
    for (const { lane } of asked) {
      // What is enqueued while the claim is under way sets it again.
      lane.mayHaveDue = false;
      lane.isClaiming = true;
      slots.moveBack(lane);
      if (lane.tenantId !== undefined) servedAt.set(lane.tenantId, claims);
    }
    try {
      const byWebhook = new Map(asked.map((entry) => [entry.lane.webhookKey, entry]));
      for (const callout of await deps.claim(wanted)) {
        const entry = byWebhook.get(callout.webhookKey);
        if (entry) entry.got += 1;
        start(callout);
      }
    } catch (error) {
      // Nothing is lost: the callouts are as they were, or leased until the sweep finds them.
      deps.onError(error);
    }
    for (const { lane, wanted: most, got } of asked) {
      lane.isClaiming = false;
      if (got >= most) lane.mayHaveDue = true;
      removeIfIdle(lane);
    }
  }

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
      freed += 1;
      if (lane.mayHaveDue || isKeptWaiting) claimSoon();
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
      removeIfIdle(lane);
      if (isDraining && slots.inFlight() === 0) onEmpty();
      // Others may have been kept waiting by the limit of the process.
      if (slots.inFlight() === maxInFlight - 1) claimSoon();
    });
  }

  return {
    enqueue(webhookKeys) {
      for (const webhookKey of webhookKeys) slots.laneOf(webhookKey).mayHaveDue = true;
      isEnqueued = true;
      if (!claiming && !isDraining) claimNow();
    },
    take(callouts) {
      for (const callout of callouts) start(callout);
    },
    hold(held) {
      isHeld = held;
      if (!isHeld && !claiming && !isDraining) claimNow();
    },
    reserve(webhookKey, tenantId, wanted) {
      return isDraining || isHeld || isKeptWaiting ? 0 : slots.reserve(webhookKey, tenantId, wanted);
    },
    giveBack(webhookKey, count) {
      const lane = slots.laneOf(webhookKey);
      slots.giveBack(lane, count);
      sendWithoutSlot();
      freed += count;
      removeIfIdle(lane);
      if (isDraining && slots.inFlight() === 0) onEmpty();
      else claimSoon();
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
    roomFor: (webhookKey) => (isDraining || isHeld ? 0 : slots.roomFor(webhookKey)),
    async drain() {
      isDraining = true;
      if (gathering) clearTimeout(gathering);
      await claiming;
      deps.onAwaited();
      if (slots.inFlight() > 0) await new Promise<void>((resolve) => (onEmpty = resolve));
    },
  };
}

function countFreeSlots(wanted: readonly FreeSlots[]): number {
  return wanted.reduce((sum, { slots }) => sum + slots, 0);
}
