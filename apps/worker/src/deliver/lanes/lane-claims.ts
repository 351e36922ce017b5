import type { FreeSlots } from '@callout/db/claim';
import type { LeasedCallout } from '../lease.ts';
import type { Lane, LaneSlots } from './lane-slots.ts';
import { shareSlots } from './share-slots.ts';

export interface LaneClaimsDeps {
  /** Leases due callouts from PostgreSQL. */
  readonly claim: (wanted: readonly FreeSlots[]) => Promise<LeasedCallout[]>;
  /** How long free slots may gather before they are filled: fewer, larger claims. */
  readonly gatherMs: number;
  readonly maxInFlight: number;
  readonly maxInFlightPerWebhook: number;
  readonly slots: LaneSlots;
  /** Takes what was claimed. */
  readonly start: (callout: LeasedCallout) => void;
  readonly onError: (error: unknown) => void;
}

/** When due callouts are claimed, and for which lanes: one claim at a time. */
export interface LaneClaims {
  /** Webhooks were enqueued: claims for them at once, or right after the claim that is under way. */
  onEnqueued(): void;
  /** Slots came free. */
  onFreed(slots: number): void;
  /** Claims when enough slots are free for that, or when they have had time to gather. */
  soon(): void;
  /** While held it claims nothing more. */
  hold(isHeld: boolean): void;
  isHeld(): boolean;
  /** Whether a lane that wants slots was given none, since others hold them. */
  isKeptWaiting(): boolean;
  removeIfIdle(lane: Lane): void;
  /** Claims nothing more. Resolves when no claim is under way. */
  stop(): Promise<void>;
}

/** Webhooks asked for in one claim. */
const maxLanesPerClaim = 200;

export function createLaneClaims(deps: LaneClaimsDeps): LaneClaims {
  const { maxInFlight, maxInFlightPerWebhook, gatherMs, slots } = deps;
  const worthAClaim = Math.max(1, Math.floor(Math.min(maxInFlight, maxInFlightPerWebhook) / 4));
  /** When each tenant with a lane was last given slots, counted in claims. */
  const servedAt = new Map<number, number>();
  let claims = 0;
  /** Slots that came free since the last claim. */
  let freed = 0;
  /** Webhooks were enqueued since the last claim. */
  let isEnqueued = false;
  let isKeptWaiting = false;
  let isHeld = false;
  let isStopped = false;
  let claiming: Promise<void> | null = null;
  let gathering: NodeJS.Timeout | null = null;

  function removeIfIdle(lane: Lane): void {
    if (slots.removeIfIdle(lane)) servedAt.clear();
  }

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
    const wanted = isStopped ? [] : wantedSlots();
    if (wanted.length === 0) return;
    claiming = claim(wanted).finally(() => {
      claiming = null;
      // Enqueued meanwhile, or the lanes have had only their share of the free slots: there is more to be had at once.
      const more = countFreeSlots(wantedSlots());
      if (more > 0 && (isEnqueued || more >= worthAClaim)) claimNow();
      else if (more > 0) soon();
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
        deps.start(callout);
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

  return {
    onEnqueued() {
      isEnqueued = true;
      if (!claiming && !isStopped) claimNow();
    },
    onFreed(count) {
      freed += count;
    },
    soon,
    hold(held) {
      isHeld = held;
      if (!isHeld && !claiming && !isStopped) claimNow();
    },
    isHeld: () => isHeld,
    isKeptWaiting: () => isKeptWaiting,
    removeIfIdle,
    async stop() {
      isStopped = true;
      if (gathering) clearTimeout(gathering);
      await claiming;
    },
  };
}

function countFreeSlots(wanted: readonly FreeSlots[]): number {
  return wanted.reduce((sum, { slots }) => sum + slots, 0);
}
