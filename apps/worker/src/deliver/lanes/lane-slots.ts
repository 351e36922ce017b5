import { createLaneLimits, type CallResult } from './lane-limits.ts';
import type { SlotsToShare, WantingLane } from './share-slots.ts';

/** The calls to one webhook. */
export interface Lane {
  webhookKey: number;
  /** Known from the first of its callouts on. */
  tenantId: number | undefined;
  /** Calls under way, and slots for callouts that are being stored. */
  inFlight: number;
  /** Of those in flight, slots for callouts that are being stored. */
  reserved: number;
  /** When its receiver was last heard, or first called. */
  heardAtMs: number;
  /** PostgreSQL may have more for it. */
  mayHaveDue: boolean;
  isClaiming: boolean;
}

export interface LaneSlotsDeps {
  /**
   * Callouts at once in this process: being sent, or their results being stored. What is reserved while a claim is under
   * way may be slots that the claim has asked for: keeping them all would send most of what match makes through a claim,
   * too. What was claimed then waits in hand until a slot is free.
   */
  maxInFlight: number;
  /** Calls under way at once to one webhook. */
  maxInFlightPerWebhook: number;
  /** Milliseconds, rising. */
  nowMs: () => number;
}

/** Who holds the slots of a process. */
export interface LaneSlots {
  /** The lane of a webhook, made where it has none. */
  laneOf(webhookKey: number): Lane;
  /** Puts the lane behind all others. */
  moveBack(lane: Lane): void;
  /** @returns whether no lane is left. */
  removeIfIdle(lane: Lane): boolean;
  /** A call takes its slot, in its lane and in the process. */
  enter(lane: Lane): void;
  /** Its receiver has been heard, or was not asked: the slot of the lane is free, that of the process is not yet. */
  leave(lane: Lane): void;
  /** The result of a call is stored. */
  release(): void;
  learn(webhookKey: number, result: CallResult): void;
  /** Slots taken in the process. */
  inFlight(): number;
  /** Whether a webhook has, or may have, more due callouts than it was given slots for. */
  hasBacklog(webhookKey: number): boolean;
  /** How many more calls to a webhook may begin now. */
  roomFor(webhookKey: number): number;
  /** Whether a lane may have something to send, and would have room if the process had. */
  isWanted(): boolean;
  /** The lanes that may have something to send and have room, those served longest ago first, and what there is to share among them. */
  toShare(): { wanting: WantingLane[]; slots: Omit<SlotsToShare, 'maxLanes'> };
  /**
   * Takes slots for callouts that are about to be stored, as many of those wanted as the lane may have now: none while it
   * has a backlog or is slow. Each is to be used or given back.
   */
  reserve(webhookKey: number, tenantId: number, wanted: number): number;
  giveBack(lane: Lane, slots: number): void;
  /** A reserved slot is used: its callout is sent. */
  useReserved(webhookKey: number): Lane;
}

const maxLimitsKept = 20_000;
/** The share of the slots that lanes may hold beyond one call each. */
const maxMoreShare = 3 / 4;

/**
 * Counts slots. A receiver that hangs holds those of its own lane, as many as it has been found to bear. Slow receivers
 * together get half of the slots of the process at most; and beyond one call each all lanes together hold three quarters,
 * so that many that begin to hang at once leave some.
 */
export function createLaneSlots({ maxInFlight, maxInFlightPerWebhook, nowMs }: LaneSlotsDeps): LaneSlots {
  const maxSlow = Math.max(1, Math.floor(maxInFlight / 2));
  const maxMore = Math.ceil(maxInFlight * maxMoreShare);
  const limits = createLaneLimits({ most: maxInFlightPerWebhook, nowMs, maxKept: maxLimitsKept });
  /** Those served longest ago first. */
  const lanes = new Map<number, Lane>();
  let inFlight = 0;
  /** Calls under way beyond one for each lane that has any. */
  let underWayBeyondOne = 0;

  function laneOf(webhookKey: number): Lane {
    const lane = lanes.get(webhookKey) ?? {
      webhookKey,
      tenantId: undefined,
      inFlight: 0,
      reserved: 0,
      heardAtMs: 0,
      mayHaveDue: false,
      isClaiming: false,
    };
    lanes.set(webhookKey, lane);
    return lane;
  }

  function removeIfIdle(lane: Lane): boolean {
    const isBusy = lane.mayHaveDue || lane.isClaiming || lane.inFlight > 0 || lane.reserved > 0;
    // The last result of a lane may be stored when it is gone already and its webhook has another.
    if (!isBusy && lanes.get(lane.webhookKey) === lane) lanes.delete(lane.webhookKey);
    return lanes.size === 0;
  }

  function enter(lane: Lane): void {
    if (lane.inFlight === 0) lane.heardAtMs = nowMs();
    else underWayBeyondOne += 1;
    lane.inFlight += 1;
    inFlight += 1;
  }

  function leave(lane: Lane): void {
    lane.inFlight -= 1;
    if (lane.inFlight > 0) underWayBeyondOne -= 1;
  }

  function roomIn({ webhookKey, inFlight: underWay }: Lane): number {
    return Math.min(maxInFlight - inFlight, limits.slotsOf(webhookKey) - underWay);
  }

  /** Also one that has fallen silent, long before any of its calls comes to an end. */
  function isSlow({ webhookKey, inFlight: underWay, heardAtMs }: Lane, atMs: number): boolean {
    return limits.isSlow(webhookKey) || (underWay > 0 && atMs - heardAtMs > limits.patienceMsOf(webhookKey));
  }

  function hasBacklog(webhookKey: number): boolean {
    const lane = lanes.get(webhookKey);
    return lane !== undefined && (lane.mayHaveDue || lane.isClaiming);
  }

  return {
    laneOf,
    moveBack(lane) {
      lanes.delete(lane.webhookKey);
      lanes.set(lane.webhookKey, lane);
    },
    removeIfIdle,
    enter,
    leave(lane) {
      lane.heardAtMs = nowMs();
      leave(lane);
    },
    release() {
      inFlight -= 1;
    },
    learn: (webhookKey, result) => limits.learn(webhookKey, result),
    inFlight: () => inFlight,
    hasBacklog,
    roomFor(webhookKey) {
      const lane = lanes.get(webhookKey);
      return lane ? roomIn(lane) : Math.min(maxInFlight - inFlight, limits.slotsOf(webhookKey));
    },
    isWanted() {
      for (const { webhookKey, mayHaveDue, inFlight: underWay } of lanes.values()) {
        if (mayHaveDue && limits.slotsOf(webhookKey) > underWay) return true;
      }
      return false;
    },
    toShare() {
      const atMs = nowMs();
      const wanting: WantingLane[] = [];
      let slow = 0;
      for (const lane of lanes.values()) {
        const { webhookKey, tenantId, mayHaveDue, inFlight: underWay } = lane;
        const laneIsSlow = isSlow(lane, atMs);
        if (laneIsSlow) slow += underWay;
        const slots = limits.slotsOf(webhookKey) - underWay;
        if (mayHaveDue && slots > 0) wanting.push({ webhookKey, tenantId, slots, underWay, isSlow: laneIsSlow });
      }
      const free = maxInFlight - inFlight;
      const freeForSlow = Math.max(0, maxSlow - slow);
      return { wanting, slots: { free, freeForSlow, freeForMore: Math.max(0, maxMore - underWayBeyondOne) } };
    },
    reserve(webhookKey, tenantId, wanted) {
      const lane = laneOf(webhookKey);
      lane.tenantId = tenantId;
      // The first call of a lane needs no more than a free slot.
      const beyondOne = Math.max(0, maxMore - underWayBeyondOne) + (lane.inFlight === 0 ? 1 : 0);
      const mayNot = hasBacklog(webhookKey) || isSlow(lane, nowMs());
      const slots = mayNot ? 0 : Math.max(0, Math.min(wanted, roomIn(lane), beyondOne));
      for (let slot = 0; slot < slots; slot += 1) enter(lane);
      lane.reserved += slots;
      removeIfIdle(lane);
      return slots;
    },
    giveBack(lane, slots) {
      for (let slot = 0; slot < slots; slot += 1) leave(lane);
      lane.reserved -= slots;
      inFlight -= slots;
    },
    useReserved(webhookKey) {
      const lane = laneOf(webhookKey);
      lane.reserved -= 1;
      return lane;
    },
  };
}
