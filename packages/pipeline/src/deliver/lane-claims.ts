import type { FreeSlots, LeasedCallout } from './claim.ts';
import type { Lane, LaneSlots } from './lane-slots.ts';
import { shareSlots } from './share-slots.ts';

export interface LaneClaimsDeps {
  /** Leases due callouts from PostgreSQL. */
  readonly claim: (requested: readonly FreeSlots[]) => Promise<LeasedCallout[]>;
  /** How long free slots may gather before they are filled: fewer, larger claims. */
  readonly gatherMs: number;
  readonly maxInFlight: number;
  readonly maxInFlightPerWebhook: number;
  readonly slots: LaneSlots;
  /** Starts a claimed callout. */
  readonly start: (callout: LeasedCallout) => void;
  readonly onError: (error: unknown) => void;
}

/** Why nothing is claimed: results of earlier calls could not be stored, or the clock is wrong. */
export type SuspendedFor = 'results' | 'clock';

/** Webhooks per claim. */
const maxLanesPerClaim = 200;

/** Decides when due callouts are claimed, and for which lanes. One claim runs at a time. */
export function createLaneClaims(deps: LaneClaimsDeps) {
  const { maxInFlight, maxInFlightPerWebhook, gatherMs, slots } = deps;
  const worthAClaim = Math.max(1, Math.floor(Math.min(maxInFlight, maxInFlightPerWebhook) / 4));
  /** The number of the claim in which each tenant last got slots. */
  const servedAt = new Map<number, number>();
  let claims = 0;
  /** Slots freed since the last claim. */
  let freed = 0;
  /** Webhooks were enqueued since the last claim. */
  let isEnqueued = false;
  let isKeptWaiting = false;
  const suspended = new Set<SuspendedFor>();
  let isStopped = false;
  let claiming: Promise<void> | null = null;
  let gathering: NodeJS.Timeout | null = null;

  function removeIfIdle(lane: Lane): void {
    if (slots.removeIfIdle(lane)) servedAt.clear();
  }

  /** Claims when enough slots are free for a claim, or when they have had time to gather. */
  function soon(): void {
    if (claiming || isStopped) return;
    if (freed >= worthAClaim) claimNow();
    else gathering ??= setTimeout(claimNow, gatherMs);
  }

  function claimNow(): void {
    if (gathering) clearTimeout(gathering);
    gathering = null;
    freed = 0;
    isEnqueued = false;
    const requested = isStopped ? [] : requestedSlots();
    if (requested.length === 0) return;
    claiming = claim(requested).finally(() => {
      claiming = null;
      // More was enqueued meanwhile, or the lanes got only their share of the free slots: claim the rest at once.
      const more = countFreeSlots(requestedSlots());
      if (more > 0 && (isEnqueued || more >= worthAClaim)) claimNow();
      else if (more > 0) soon();
    });
  }

  function requestedSlots(): FreeSlots[] {
    if (suspended.size > 0) return [];
    if (slots.inFlight() >= maxInFlight) {
      isKeptWaiting = slots.hasDemand();
      return [];
    }
    const { candidates, slots: free } = slots.toShare();
    const requested = shareSlots(
      candidates,
      { ...free, maxLanes: maxLanesPerClaim },
      (tenantId) => servedAt.get(tenantId) ?? 0,
    );
    isKeptWaiting = requested.length < candidates.length;
    return requested;
  }

  async function claim(requested: readonly FreeSlots[]): Promise<void> {
    claims += 1;
    const entries = requested.map(({ webhookKey, slots: count }) => ({
      lane: slots.laneOf(webhookKey),
      requested: count,
      got: 0,
    }));
    for (const { lane } of entries) {
      // Webhooks that are enqueued while the claim is under way set it again.
      lane.mayHaveDue = false;
      lane.isClaiming = true;
      slots.moveBack(lane);
      if (lane.tenantId !== undefined) servedAt.set(lane.tenantId, claims);
    }
    try {
      const byWebhook = new Map(entries.map((entry) => [entry.lane.webhookKey, entry]));
      for (const callout of await deps.claim(requested)) {
        const entry = byWebhook.get(callout.webhookKey);
        if (entry) entry.got += 1;
        deps.start(callout);
      }
    } catch (error) {
      // Nothing is lost: the callouts are unchanged, or leased until the sweep finds them.
      deps.onError(error);
    }
    for (const { lane, requested: most, got } of entries) {
      lane.isClaiming = false;
      if (got >= most) lane.mayHaveDue = true;
      removeIfIdle(lane);
    }
  }

  return {
    /** Webhooks were enqueued: claims for them at once, or right after the claim that is under way. */
    onEnqueued(): void {
      isEnqueued = true;
      if (!claiming && !isStopped) claimNow();
    },
    /** Slots were freed. */
    onFreed(count: number): void {
      freed += count;
    },
    soon,
    /** Nothing more is claimed while suspended. */
    suspend(why: SuspendedFor, isSuspended: boolean): void {
      if (isSuspended) suspended.add(why);
      else suspended.delete(why);
      if (suspended.size === 0 && !claiming && !isStopped) claimNow();
    },
    isSuspended: () => suspended.size > 0,
    /** Whether a lane with something to send got no slot, since others have them all. */
    isKeptWaiting: () => isKeptWaiting,
    removeIfIdle,
    /** Claims nothing more. Resolves when no claim is under way. */
    async stop(): Promise<void> {
      isStopped = true;
      if (gathering) clearTimeout(gathering);
      await claiming;
    },
  };
}

function countFreeSlots(requested: readonly FreeSlots[]): number {
  return requested.reduce((sum, { slots }) => sum + slots, 0);
}
