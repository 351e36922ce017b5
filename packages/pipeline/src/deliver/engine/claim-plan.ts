import type { FreeSlots, LeasedCallout } from '../claim.ts';
import type { Lane, LaneSlots, SlotLimits } from './lane-slots.ts';
import { shareSlots } from './share-slots.ts';

/** Webhooks per claim. */
const maxLanesPerClaim = 200;

/** A lane in a claim under way. */
interface ClaimingLane {
  readonly lane: Lane;
  readonly requested: number;
  claimed: number;
}

/** Decides for which lanes due callouts are claimed, and whether a claim is worth a statement. */
export class ClaimPlan {
  readonly #slots: LaneSlots;
  readonly #maxInFlight: number;
  readonly #worthAClaim: number;
  /** The number of the claim in which each tenant last got slots. */
  readonly #servedAt = new Map<number, number>();
  #claimCount = 0;
  #isKeptWaiting = false;

  constructor(slots: LaneSlots, { maxInFlight, maxInFlightPerWebhook }: Omit<SlotLimits, 'nowMs'>) {
    this.#slots = slots;
    this.#maxInFlight = maxInFlight;
    this.#worthAClaim = Math.max(1, Math.floor(Math.min(maxInFlight, maxInFlightPerWebhook) / 4));
  }

  /** Whether a lane with something to send got no slot, since further lanes have all slots. */
  get isKeptWaiting(): boolean {
    return this.#isKeptWaiting;
  }

  /** Whether the number of free slots is worth a claim at once. */
  isWorthAClaim(slots: number): boolean {
    return slots >= this.#worthAClaim;
  }

  /** The free slots that the lanes may fill now. */
  request(): FreeSlots[] {
    if (this.#slots.inFlight >= this.#maxInFlight) {
      this.#isKeptWaiting = this.#slots.hasDemand();
      return [];
    }
    const { candidates, slots } = this.#slots.toShare();
    const servedAt = (tenantId: number): number => this.#servedAt.get(tenantId) ?? 0;
    const requested = shareSlots(candidates, { ...slots, maxLanes: maxLanesPerClaim }, servedAt);
    this.#isKeptWaiting = requested.length < candidates.length;
    return requested;
  }

  /** A claim begins. Webhooks that are enqueued while the claim is under way are claimed again. */
  begin(requested: readonly FreeSlots[]): ReadonlyMap<number, ClaimingLane> {
    this.#claimCount += 1;
    const claiming = new Map<number, ClaimingLane>();
    for (const { webhookKey, slots } of requested) {
      const lane = this.#slots.laneOf(webhookKey);
      lane.mayHaveDue = false;
      lane.isClaiming = true;
      this.#slots.moveBack(lane);
      if (lane.tenantId !== undefined) this.#servedAt.set(lane.tenantId, this.#claimCount);
      claiming.set(webhookKey, { lane, requested: slots, claimed: 0 });
    }
    return claiming;
  }

  /** The claim is over: lanes that got all that they requested may have more. */
  end(claiming: ReadonlyMap<number, ClaimingLane>, callouts: readonly LeasedCallout[]): void {
    for (const { webhookKey } of callouts) {
      const entry = claiming.get(webhookKey);
      if (entry) entry.claimed += 1;
    }
    for (const { lane, requested, claimed } of claiming.values()) {
      lane.isClaiming = false;
      if (claimed >= requested) lane.mayHaveDue = true;
      this.removeIfIdle(lane);
    }
  }

  removeIfIdle(lane: Lane): void {
    if (this.#slots.removeIfIdle(lane)) this.#servedAt.clear();
  }
}
