import type { RecordOfWebhook } from '@callout/core/match';
import type { FreeSlots } from '@callout/db/claim';
import { createFollowers } from './followers.ts';
import { createLaneLimits, type CallResult } from './lane-limits.ts';
import type { LeasedCallout } from './lease.ts';
import { shareSlots, type WantingLane } from './share-slots.ts';

export interface LanesDeps {
  /** Leases due callouts from PostgreSQL. */
  claim: (wanted: readonly FreeSlots[]) => Promise<LeasedCallout[]>;
  /**
   * Sends one callout, calls `answered` when its receiver is done with it, and resolves when its result is stored.
   * Never rejects.
   */
  deliver: (callout: LeasedCallout, answered: (result: CallResult) => void) => Promise<void>;
  /** Told that something waits for the results of callouts in hand. */
  onAwaited: () => void;
  /** Callouts in hand at once in this process: being sent, or their results being stored. */
  maxInFlight: number;
  /** Calls under way at once to one webhook. */
  maxInFlightPerWebhook: number;
  /** How long free slots may gather before they are filled: fewer, larger claims. */
  gatherMs: number;
  /** Milliseconds, rising. */
  nowMs: () => number;
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
  /** Callouts in hand. */
  inFlight(): number;
  /** How many more callouts of a webhook can be sent now. */
  slotsOf(webhookKey: number): number;
  /** Claims nothing more and waits for the callouts in hand. */
  drain(): Promise<void>;
}

interface Lane {
  webhookKey: number;
  /** Known from the first of its callouts on. */
  tenantId: number | undefined;
  inFlight: number;
  /** Slots for callouts that are being stored. They count as in flight. */
  reserved: number;
  /** When its receiver was last heard, or first called. */
  heardAtMs: number;
  /** PostgreSQL may have more for it. */
  mayHaveDue: boolean;
  isClaiming: boolean;
}

/** Webhooks asked for in one claim. */
const maxLanesPerClaim = 200;
const maxLimitsKept = 20_000;
/** The share of the slots that lanes may hold beyond one call each. */
const maxMoreShare = 3 / 4;

/**
 * A lane per webhook: a bounded number of calls under way, filled from PostgreSQL as slots come free. A receiver that
 * hangs holds its own slots and nobody else's. Slow ones together hold half of the slots of the process at most; and
 * beyond one call each all lanes together hold three quarters, so that many that begin to hang at once leave some.
 * However long a backlog, nothing of it is kept in memory.
 */
export function createLanes(deps: LanesDeps): Lanes {
  const { maxInFlight, maxInFlightPerWebhook, gatherMs, nowMs } = deps;
  const worthAClaim = Math.max(1, Math.floor(Math.min(maxInFlight, maxInFlightPerWebhook) / 4));
  const maxSlow = Math.max(1, Math.floor(maxInFlight / 2));
  const maxMore = Math.ceil(maxInFlight * maxMoreShare);
  const limits = createLaneLimits({ most: maxInFlightPerWebhook, nowMs, maxKept: maxLimitsKept });
  const followers = createFollowers();
  /** In the order in which they take their turn. */
  const lanes = new Map<number, Lane>();
  /** When each tenant with a lane was last given slots, counted in claims. */
  const turns = new Map<number, number>();
  let claims = 0;
  let inFlight = 0;
  /** Calls under way beyond one for each lane that has any. */
  let underWayBeyondOne = 0;
  /** Places that came free since the last claim. */
  let freed = 0;
  /** Webhooks were enqueued since the last claim. */
  let isEnqueued = false;
  /** A lane that wants slots was given none, since others hold them. */
  let isKeptWaiting = false;
  let isHeld = false;
  let isDraining = false;
  let claiming: Promise<void> | null = null;
  let gathering: NodeJS.Timeout | null = null;
  /** Told when the last callout in hand is done, once this drains. */
  let onEmpty: () => void = () => undefined;

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

  function removeIfIdle(lane: Lane): void {
    if (lane.mayHaveDue || lane.isClaiming || lane.inFlight > 0 || lane.reserved > 0) return;
    // The last result of a lane may be stored when it is gone already and its webhook has another.
    if (lanes.get(lane.webhookKey) === lane) lanes.delete(lane.webhookKey);
    if (lanes.size === 0) turns.clear();
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

  function roomIn(lane: Lane): number {
    return limits.slotsOf(lane.webhookKey) - lane.inFlight;
  }

  /** Also one that has fallen silent, long before any of its calls comes to an end. */
  function isSlow({ webhookKey, inFlight: underWay, heardAtMs }: Lane, atMs: number): boolean {
    return limits.isSlow(webhookKey) || (underWay > 0 && atMs - heardAtMs > limits.patienceMsOf(webhookKey));
  }

  function wantedSlots(): FreeSlots[] {
    const free = maxInFlight - inFlight;
    if (free <= 0 || isHeld) return [];
    const atMs = nowMs();
    const wanting: WantingLane[] = [];
    let slow = 0;
    let more = 0;
    for (const lane of lanes.values()) {
      const { webhookKey, tenantId, mayHaveDue, inFlight: underWay } = lane;
      const laneIsSlow = isSlow(lane, atMs);
      more += Math.max(0, underWay - 1);
      if (laneIsSlow) slow += underWay;
      const slots = roomIn(lane);
      if (mayHaveDue && slots > 0) wanting.push({ webhookKey, tenantId, slots, underWay, isSlow: laneIsSlow });
    }
    const toShare = {
      free,
      freeForSlow: Math.max(0, maxSlow - slow),
      freeForMore: Math.max(0, maxMore - more),
      maxLanes: maxLanesPerClaim,
    };
    const wanted = shareSlots(wanting, toShare, (tenantId) => turns.get(tenantId) ?? 0);
    isKeptWaiting = wanted.length < wanting.length;
    return wanted;
  }

  async function claim(wanted: readonly FreeSlots[]): Promise<void> {
    claims += 1;
    const asked = wanted.map(({ webhookKey, slots }) => ({ lane: laneOf(webhookKey), slots, got: 0 }));
    for (const { lane } of asked) {
      // What is enqueued while the claim is under way sets it again.
      lane.mayHaveDue = false;
      lane.isClaiming = true;
      lanes.delete(lane.webhookKey);
      lanes.set(lane.webhookKey, lane);
      if (lane.tenantId !== undefined) turns.set(lane.tenantId, claims);
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
    for (const { lane, slots, got } of asked) {
      lane.isClaiming = false;
      if (got >= slots) lane.mayHaveDue = true;
      removeIfIdle(lane);
    }
  }

  function enter(lane: Lane): void {
    if (lane.inFlight > 0) underWayBeyondOne += 1;
    lane.inFlight += 1;
  }

  function leave(lane: Lane): void {
    lane.inFlight -= 1;
    if (lane.inFlight > 0) underWayBeyondOne -= 1;
    freed += 1;
  }

  function start(callout: LeasedCallout): void {
    const lane = laneOf(callout.webhookKey);
    lane.tenantId = callout.tenantId;
    if (lane.inFlight === 0) lane.heardAtMs = nowMs();
    enter(lane);
    inFlight += 1;
    send(lane, callout);
  }

  /** Sends a callout that has its slot. */
  function send(lane: Lane, callout: LeasedCallout): void {
    let isUnderWay = true;
    const leaveLane = (): void => {
      if (!isUnderWay) return;
      isUnderWay = false;
      lane.heardAtMs = nowMs();
      leave(lane);
      if (lane.mayHaveDue || isKeptWaiting) claimSoon();
    };
    const answered = (result: CallResult): void => {
      if (isUnderWay) limits.learn(callout.webhookKey, result);
      leaveLane();
    };
    // Counted and not kept in a set: the tables of a set that thousands pass through each second cost more than sending.
    void deps.deliver(callout, answered).finally(() => {
      leaveLane();
      inFlight -= 1;
      removeIfIdle(lane);
      if (isDraining && inFlight === 0) onEmpty();
      // Others may have been kept waiting by the limit of the process.
      if (inFlight === maxInFlight - 1) claimSoon();
    });
  }

  return {
    enqueue(webhookKeys) {
      for (const webhookKey of webhookKeys) laneOf(webhookKey).mayHaveDue = true;
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
      if (isDraining || isHeld || isKeptWaiting) return 0;
      const lane = laneOf(webhookKey);
      lane.tenantId = tenantId;
      const free = Math.min(wanted, maxInFlight - inFlight, roomIn(lane));
      // The first call of a lane needs no more than a free slot.
      const beyondOne = Math.max(0, maxMore - underWayBeyondOne) + (lane.inFlight === 0 ? 1 : 0);
      const mayNot = lane.mayHaveDue || lane.isClaiming || isSlow(lane, nowMs());
      const slots = mayNot ? 0 : Math.max(0, Math.min(free, beyondOne));
      if (lane.inFlight === 0) lane.heardAtMs = nowMs();
      for (let slot = 0; slot < slots; slot += 1) enter(lane);
      lane.reserved += slots;
      inFlight += slots;
      removeIfIdle(lane);
      return slots;
    },
    giveBack(webhookKey, slots) {
      const lane = laneOf(webhookKey);
      for (let slot = 0; slot < slots; slot += 1) leave(lane);
      lane.reserved -= slots;
      inFlight -= slots;
      removeIfIdle(lane);
      if (isDraining && inFlight === 0) onEmpty();
      else claimSoon();
    },
    startReserved(callouts) {
      for (const callout of callouts) {
        const lane = laneOf(callout.webhookKey);
        lane.reserved -= 1;
        send(lane, callout);
      }
    },
    follow(records) {
      if (records.length === 0) return;
      followers.add(records);
      // The result of the one before may be in hand already.
      deps.onAwaited();
    },
    isAwaited: (callout) => followers.take(callout) || inFlight >= maxInFlight || isDraining,
    inFlight: () => inFlight,
    slotsOf(webhookKey) {
      if (isDraining || isHeld) return 0;
      const underWay = lanes.get(webhookKey)?.inFlight ?? 0;
      return Math.min(maxInFlight - inFlight, limits.slotsOf(webhookKey) - underWay);
    },
    async drain() {
      isDraining = true;
      if (gathering) clearTimeout(gathering);
      await claiming;
      deps.onAwaited();
      if (inFlight > 0) await new Promise<void>((resolve) => (onEmpty = resolve));
    },
  };
}

function countFreeSlots(wanted: readonly FreeSlots[]): number {
  return wanted.reduce((sum, { slots }) => sum + slots, 0);
}
