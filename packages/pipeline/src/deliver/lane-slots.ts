import type { SlotsToShare, LaneCandidate } from './share-slots.ts';
import type { Settlement } from '../settle/settlement.rules.ts';
import { LRUCache } from 'lru-cache';

/** The calls to one webhook. */
export interface Lane {
  webhookKey: number;
  /** Known once its first callout is claimed. */
  tenantId: number | undefined;
  /** Calls under way, and slots reserved for callouts that are being stored. */
  inFlight: number;
  /** The reserved ones of `inFlight`. */
  reserved: number;
  /** When its receiver last responded, or was first called. */
  lastResponseAtMs: number;
  /** PostgreSQL may have more due callouts for it. */
  mayHaveDue: boolean;
  isClaiming: boolean;
}

export interface LaneSlotsDeps {
  /**
   * Maximum number of concurrent callouts in this process: being sent, or their results being stored. Slots that a
   * claim has asked for can still be reserved while it is under way: keeping them all for the claim would send most new
   * callouts through a claim, too. A claimed callout then waits in memory until a slot is free.
   */
  maxInFlight: number;
  /** Maximum number of concurrent calls to one webhook. */
  maxInFlightPerWebhook: number;
  /** A monotonic clock in milliseconds. */
  nowMs: () => number;
}

const maxLimitsKept = 20_000;
/** The share of the slots that all lanes together may have beyond one call each. */
const maxMoreShare = 3 / 4;

/**
 * Counts slots. A receiver that hangs occupies those of its own lane, as many as its limit allows. Slow receivers
 * together get at most half of the slots of the process; and beyond one call each all lanes together get three
 * quarters, so that many receivers that begin to hang at once leave some free.
 */
export function createLaneSlots({ maxInFlight, maxInFlightPerWebhook, nowMs }: LaneSlotsDeps) {
  const maxSlow = Math.max(1, Math.floor(maxInFlight / 2));
  const maxMore = Math.ceil(maxInFlight * maxMoreShare);
  const limits = createLaneLimits({ most: maxInFlightPerWebhook, nowMs, maxKept: maxLimitsKept });
  /** In order of service, longest ago first. */
  const lanes = new Map<number, Lane>();
  let inFlight = 0;
  /** Calls under way beyond the first of each lane. */
  let underWayBeyondOne = 0;

  /** The lane of a webhook, created if it has none. */
  function laneOf(webhookKey: number): Lane {
    const lane = lanes.get(webhookKey) ?? {
      webhookKey,
      tenantId: undefined,
      inFlight: 0,
      reserved: 0,
      lastResponseAtMs: 0,
      mayHaveDue: false,
      isClaiming: false,
    };
    lanes.set(webhookKey, lane);
    return lane;
  }

  /** @returns whether no lane is left. */
  function removeIfIdle(lane: Lane): boolean {
    const isBusy = lane.mayHaveDue || lane.isClaiming || lane.inFlight > 0 || lane.reserved > 0;
    // The last result of a lane may be stored after the lane was removed and its webhook has another.
    if (!isBusy && lanes.get(lane.webhookKey) === lane) lanes.delete(lane.webhookKey);
    return lanes.size === 0;
  }

  /** Acquires a slot of the lane and of the process for a call. */
  function acquire(lane: Lane): void {
    if (lane.inFlight === 0) lane.lastResponseAtMs = nowMs();
    else underWayBeyondOne += 1;
    lane.inFlight += 1;
    inFlight += 1;
  }

  function releaseLane(lane: Lane): void {
    lane.inFlight -= 1;
    if (lane.inFlight > 0) underWayBeyondOne -= 1;
  }

  function capacityOf({ webhookKey, inFlight: underWay }: Lane): number {
    return Math.min(maxInFlight - inFlight, limits.slotsOf(webhookKey) - underWay);
  }

  /** A lane is also slow while its receiver is silent, long before any of its calls ends. */
  function isSlow({ webhookKey, inFlight: underWay, lastResponseAtMs }: Lane, atMs: number): boolean {
    return limits.isSlow(webhookKey) || (underWay > 0 && atMs - lastResponseAtMs > limits.patienceMsOf(webhookKey));
  }

  /** Whether a webhook has, or may have, more due callouts than it was given slots for. */
  function hasBacklog(webhookKey: number): boolean {
    const lane = lanes.get(webhookKey);
    return lane !== undefined && (lane.mayHaveDue || lane.isClaiming);
  }

  return {
    laneOf,
    /** Puts the lane behind all others. */
    moveBack(lane: Lane): void {
      lanes.delete(lane.webhookKey);
      lanes.set(lane.webhookKey, lane);
    },
    removeIfIdle,
    acquire,
    /** The receiver has responded, or was not called: frees the slot of the lane, but not yet that of the process. */
    releaseLane(lane: Lane): void {
      lane.lastResponseAtMs = nowMs();
      releaseLane(lane);
    },
    /** The result of a call is stored: frees the slot of the process. */
    releaseProcess(): void {
      inFlight -= 1;
    },
    recordResult: (webhookKey: number, result: CallResult): void => limits.record(webhookKey, result),
    /** Occupied slots of the process. */
    inFlight: (): number => inFlight,
    hasBacklog,
    /** How many more calls to a webhook may begin now. */
    capacityFor(webhookKey: number): number {
      const lane = lanes.get(webhookKey);
      return lane ? capacityOf(lane) : Math.min(maxInFlight - inFlight, limits.slotsOf(webhookKey));
    },
    /** Whether a lane may have something to send, and would have capacity if the process had. */
    hasDemand(): boolean {
      for (const { webhookKey, mayHaveDue, inFlight: underWay } of lanes.values()) {
        if (mayHaveDue && limits.slotsOf(webhookKey) > underWay) return true;
      }
      return false;
    },
    /** Lanes that may have something to send and have capacity, those served longest ago first, and the slots to share. */
    toShare(): { candidates: LaneCandidate[]; slots: Omit<SlotsToShare, 'maxLanes'> } {
      const atMs = nowMs();
      const candidates: LaneCandidate[] = [];
      let slow = 0;
      for (const lane of lanes.values()) {
        const { webhookKey, tenantId, mayHaveDue, inFlight: underWay } = lane;
        const laneIsSlow = isSlow(lane, atMs);
        if (laneIsSlow) slow += underWay;
        const slots = limits.slotsOf(webhookKey) - underWay;
        if (mayHaveDue && slots > 0) candidates.push({ webhookKey, tenantId, slots, underWay, isSlow: laneIsSlow });
      }
      const free = maxInFlight - inFlight;
      const freeForSlow = Math.max(0, maxSlow - slow);
      return { candidates, slots: { free, freeForSlow, freeForMore: Math.max(0, maxMore - underWayBeyondOne) } };
    },
    /**
     * Reserves slots for callouts that are about to be stored, as many of the requested ones as the lane may have now:
     * none while it has a backlog or is slow. Each is to be used or given back.
     */
    reserve(webhookKey: number, tenantId: number, requested: number): number {
      const lane = laneOf(webhookKey);
      lane.tenantId = tenantId;
      // The first call of a lane needs only a free slot of the process.
      const beyondOne = Math.max(0, maxMore - underWayBeyondOne) + (lane.inFlight === 0 ? 1 : 0);
      const mayNot = hasBacklog(webhookKey) || isSlow(lane, nowMs());
      const slots = mayNot ? 0 : Math.max(0, Math.min(requested, capacityOf(lane), beyondOne));
      for (let slot = 0; slot < slots; slot += 1) acquire(lane);
      lane.reserved += slots;
      removeIfIdle(lane);
      return slots;
    },
    giveBack(lane: Lane, slots: number): void {
      for (let slot = 0; slot < slots; slot += 1) releaseLane(lane);
      lane.reserved -= slots;
      inFlight -= slots;
    },
    /** Uses a reserved slot: its callout is sent. */
    useReserved(webhookKey: number): Lane {
      const lane = laneOf(webhookKey);
      lane.reserved -= 1;
      return lane;
    },
  };
}

/** Slots of this process and of its lanes. */
export type LaneSlots = ReturnType<typeof createLaneSlots>;

/** What a lane needs of the result of a call. */
export interface CallResult {
  /** 'none': the receiver was not called, or it is unknown whether it was. */
  signal: Settlement['signal'] | 'none';
  durationMs: number;
}

interface LaneLimitsDeps {
  /** Maximum number of concurrent calls to one webhook. */
  most: number;
  /** A monotonic clock in milliseconds. */
  nowMs: () => number;
  /** Maximum number of webhooks. */
  maxKept: number;
}

/** Few calls at first, so that a receiver that hangs is noticed before it occupies many slots. */
const firstSlots = 8;
/** A response that takes longer is slow. */
const slowMs = 1_000;
/**
 * Silence is compared with the usual response time: when many receivers begin to hang at once, they can occupy all
 * slots within a second. Opening a connection takes its time too.
 */
const leastPatienceMs = 200;
const patienceInMeans = 5;
/** The weight of the latest response in the mean. */
const newest = 0.2;

interface LaneRecord {
  slots: number;
  meanMs: number;
  /** When the limit was last lowered: calls begun before then do not lower it again. */
  loweredAtMs: number;
}

/**
 * A limit per webhook that follows its receiver: one slot more for each callout delivered, half of the slots when the
 * receiver seems to be down.
 */
export function createLaneLimits({ most, nowMs, maxKept }: LaneLimitsDeps) {
  const records = new LRUCache<number, LaneRecord>({ max: maxKept });
  const first = Math.min(firstSlots, most);

  function entryOf(webhookKey: number): LaneRecord {
    const known = records.get(webhookKey);
    if (known) return known;
    const entry = { slots: first, meanMs: 0, loweredAtMs: -Infinity };
    records.set(webhookKey, entry);
    return entry;
  }

  return {
    /** The maximum number of concurrent calls now. */
    slotsOf: (webhookKey: number): number => records.get(webhookKey)?.slots ?? first,
    /** Whether its receiver is slow to respond. */
    isSlow: (webhookKey: number): boolean => (records.get(webhookKey)?.meanMs ?? 0) > slowMs,
    /** How long its receiver may be silent, with calls under way, before it counts as slow. */
    patienceMsOf(webhookKey: number): number {
      const usualMs = patienceInMeans * (records.get(webhookKey)?.meanMs ?? 0);
      return Math.min(slowMs, Math.max(leastPatienceMs, usualMs));
    },
    record(webhookKey: number, { signal, durationMs }: CallResult): void {
      if (signal === 'none') return;
      const entry = entryOf(webhookKey);
      entry.meanMs += newest * (durationMs - entry.meanMs);
      if (signal === 'delivered') entry.slots = Math.min(most, entry.slots + 1);
      const nowAtMs = nowMs();
      if (signal !== 'down' || nowAtMs - durationMs < entry.loweredAtMs) return;
      entry.slots = Math.max(1, Math.floor(entry.slots / 2));
      entry.loweredAtMs = nowAtMs;
    },
  };
}
