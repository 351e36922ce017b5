import { createLaneLimits, type CallResult } from './lane-limits.ts';
import type { LaneCandidate, SlotsToShare } from './share-slots.ts';

/** The calls to one webhook. */
export interface Lane {
  readonly webhookKey: number;
  /** Undefined until the first callout of the lane is claimed. */
  tenantId: number | undefined;
  /** Calls under way, and slots reserved for callouts that are being stored. */
  inFlight: number;
  /** The reserved part of `inFlight`. */
  reserved: number;
  /** When the receiver last responded, or was first called. */
  lastResponseAtMs: number;
  /** PostgreSQL may have more due callouts for the lane. */
  mayHaveDue: boolean;
  isClaiming: boolean;
}

export interface SlotLimits {
  /**
   * Maximum number of concurrent callouts in this process: being sent, or their results being stored. Slots that a
   * claim has asked for can still be reserved while the claim is under way: keeping them all for the claim would send
   * most new callouts through a claim, too. A claimed callout then waits in memory until a slot is free.
   */
  readonly maxInFlight: number;
  /** Maximum number of concurrent calls to one webhook. */
  readonly maxInFlightPerWebhook: number;
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
}

const maxLimitsKept = 20_000;
/** The share of the slots that all lanes together may have beyond one call each. */
const maxMoreShare = 3 / 4;

/**
 * Counts slots. A receiver that hangs occupies slots of its own lane alone, as many as the limit of the lane allows.
 * Slow receivers together get at most half of the slots of the process; and beyond one call each all lanes together get
 * three quarters, so that many receivers that begin to hang at once leave some free.
 */
export class LaneSlots {
  readonly #maxInFlight: number;
  readonly #maxSlow: number;
  readonly #maxMore: number;
  readonly #nowMs: () => number;
  readonly #limits: ReturnType<typeof createLaneLimits>;
  /** In order of service, longest ago first. */
  readonly #lanes = new Map<number, Lane>();
  #inFlight = 0;
  /** Calls under way beyond the first of each lane. */
  #underWayBeyondOne = 0;

  constructor({ maxInFlight, maxInFlightPerWebhook, nowMs }: SlotLimits) {
    this.#maxInFlight = maxInFlight;
    this.#maxSlow = Math.max(1, Math.floor(maxInFlight / 2));
    this.#maxMore = Math.ceil(maxInFlight * maxMoreShare);
    this.#nowMs = nowMs;
    this.#limits = createLaneLimits({ most: maxInFlightPerWebhook, nowMs, maxKept: maxLimitsKept });
  }

  /** Occupied slots of the process. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** The lane of a webhook, created if the webhook has none. */
  laneOf(webhookKey: number): Lane {
    const existing = this.#lanes.get(webhookKey);
    if (existing) return existing;
    const counts = { inFlight: 0, reserved: 0, lastResponseAtMs: 0 };
    const lane: Lane = { webhookKey, tenantId: undefined, ...counts, mayHaveDue: false, isClaiming: false };
    this.#lanes.set(webhookKey, lane);
    return lane;
  }

  /** Puts the lane behind all others. */
  moveBack(lane: Lane): void {
    this.#lanes.delete(lane.webhookKey);
    this.#lanes.set(lane.webhookKey, lane);
  }

  /** @returns whether there is no lane any more. */
  removeIfIdle(lane: Lane): boolean {
    const isBusy = lane.mayHaveDue || lane.isClaiming || lane.inFlight > 0 || lane.reserved > 0;
    // The last result of a lane may be stored after the lane was removed and its webhook has another.
    if (!isBusy && this.#lanes.get(lane.webhookKey) === lane) this.#lanes.delete(lane.webhookKey);
    return this.#lanes.size === 0;
  }

  /** Acquires a slot of the lane and of the process for a call. */
  acquire(lane: Lane): void {
    if (lane.inFlight === 0) lane.lastResponseAtMs = this.#nowMs();
    else this.#underWayBeyondOne += 1;
    lane.inFlight += 1;
    this.#inFlight += 1;
  }

  /** The receiver has responded, or was not called: frees the slot of the lane, but not yet the slot of the process. */
  releaseLane(lane: Lane): void {
    lane.lastResponseAtMs = this.#nowMs();
    this.#countDown(lane);
  }

  /** The result of a call is stored: frees the slot of the process. */
  releaseProcess(): void {
    this.#inFlight -= 1;
  }

  recordResult(webhookKey: number, result: CallResult): void {
    this.#limits.record(webhookKey, result);
  }

  /** Whether a webhook has, or may have, more due callouts than slots. */
  hasBacklog(webhookKey: number): boolean {
    const lane = this.#lanes.get(webhookKey);
    return lane !== undefined && (lane.mayHaveDue || lane.isClaiming);
  }

  /** How many more calls to a webhook may begin now. */
  capacityFor(webhookKey: number): number {
    const underWay = this.#lanes.get(webhookKey)?.inFlight ?? 0;
    return Math.min(this.#maxInFlight - this.#inFlight, this.#limits.slotsOf(webhookKey) - underWay);
  }

  /** Whether a lane may have something to send, and would have capacity if the process had. */
  hasDemand(): boolean {
    for (const { webhookKey, mayHaveDue, inFlight } of this.#lanes.values()) {
      if (mayHaveDue && this.#limits.slotsOf(webhookKey) > inFlight) return true;
    }
    return false;
  }

  /** Lanes with capacity that may have something to send, longest without service first, and the slots to share. */
  toShare(): { candidates: LaneCandidate[]; slots: Omit<SlotsToShare, 'maxLanes'> } {
    const atMs = this.#nowMs();
    const candidates: LaneCandidate[] = [];
    let slow = 0;
    for (const lane of this.#lanes.values()) {
      const { webhookKey, tenantId, mayHaveDue, inFlight: underWay } = lane;
      const isSlow = this.#isSlow(lane, atMs);
      if (isSlow) slow += underWay;
      const slots = this.#limits.slotsOf(webhookKey) - underWay;
      if (mayHaveDue && slots > 0) candidates.push({ webhookKey, tenantId, slots, underWay, isSlow });
    }
    const free = this.#maxInFlight - this.#inFlight;
    const freeForSlow = Math.max(0, this.#maxSlow - slow);
    return { candidates, slots: { free, freeForSlow, freeForMore: this.#freeForMore() } };
  }

  /**
   * Reserves slots for callouts that are about to be stored, as many of the requested ones as the lane may have now:
   * none while the lane has a backlog or is slow. Each slot is to be used or returned.
   */
  reserve(webhookKey: number, tenantId: number, requested: number): number {
    const lane = this.laneOf(webhookKey);
    lane.tenantId = tenantId;
    const mayNot = this.hasBacklog(webhookKey) || this.#isSlow(lane, this.#nowMs());
    // The first call of a lane needs only a free slot of the process.
    const beyondOne = this.#freeForMore() + (lane.inFlight === 0 ? 1 : 0);
    const slots = mayNot ? 0 : Math.max(0, Math.min(requested, this.capacityFor(webhookKey), beyondOne));
    for (let slot = 0; slot < slots; slot += 1) this.acquire(lane);
    lane.reserved += slots;
    this.removeIfIdle(lane);
    return slots;
  }

  /** Returns reserved slots that no callout uses. */
  returnReserved(lane: Lane, slots: number): void {
    for (let slot = 0; slot < slots; slot += 1) this.#countDown(lane);
    lane.reserved -= slots;
    this.#inFlight -= slots;
  }

  /** Uses a reserved slot: its callout is sent. */
  useReserved(webhookKey: number): Lane {
    const lane = this.laneOf(webhookKey);
    lane.reserved -= 1;
    return lane;
  }

  #countDown(lane: Lane): void {
    lane.inFlight -= 1;
    if (lane.inFlight > 0) this.#underWayBeyondOne -= 1;
  }

  #freeForMore(): number {
    return Math.max(0, this.#maxMore - this.#underWayBeyondOne);
  }

  /** A lane is also slow while its receiver is silent, long before any of the calls ends. */
  #isSlow({ webhookKey, inFlight, lastResponseAtMs }: Lane, atMs: number): boolean {
    const isSilent = inFlight > 0 && atMs - lastResponseAtMs > this.#limits.patienceMsOf(webhookKey);
    return isSilent || this.#limits.isSlow(webhookKey);
  }
}
