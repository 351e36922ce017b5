import type { RecordOfWebhook } from '@callout/domain/callout/claimed';
import type { LongBodies } from '../../payload/long-bodies.ts';
import type { FreeSlots, LeasedCallout } from '../claim.ts';
import { ClaimPlan } from './claim-plan.ts';
import type { Delivery } from './delivery.ts';
import type { DueWebhooks } from './due-webhooks.ts';
import type { CallResult } from './lane-limits.ts';
import { LaneSlots, type Lane, type SlotLimits } from './lane-slots.ts';
import type { LeaseRenewal } from './lease-renewal.ts';
import type { RateGates } from './rate-gates.ts';
import { Successors } from './successors.ts';

export interface LaneLimits extends SlotLimits {
  /** How long free slots may gather before they are filled: fewer, larger claims. */
  readonly gatherMs: number;
}

/** The parts that the lanes ask; none of them knows the lanes. */
export interface LaneParts {
  readonly due: Pick<DueWebhooks, 'listen'>;
  readonly longBodies: LongBodies;
  readonly gates: Pick<RateGates, 'openAmong' | 'onFound' | 'onCallOver'>;
  readonly leases: Pick<LeaseRenewal, 'begin' | 'end'>;
  readonly onClaimFailed: (error: unknown) => void;
}

/** Why nothing is claimed: results of earlier calls could not be stored, or the clock is wrong. */
export type SuspendedFor = 'results' | 'clock';

/**
 * A lane per webhook: a bounded number of calls under way, filled from PostgreSQL as slots are freed. However long a
 * backlog, nothing of the backlog is kept in memory. One claim runs at a time.
 */
export class Lanes {
  readonly #limits: LaneLimits;
  readonly #parts: LaneParts;
  readonly #slots: LaneSlots;
  readonly #plan: ClaimPlan;
  readonly #successors = new Successors();
  /** Claimed callouts whose slots were reserved meanwhile: each is sent when a slot is freed. */
  readonly #withoutSlot: { lane: Lane; callout: LeasedCallout }[] = [];
  readonly #suspendedFor = new Set<SuspendedFor>();
  #delivery: Delivery | null = null;
  /** Slots freed since the last claim. */
  #freed = 0;
  /** Webhooks were enqueued since the last claim. */
  #isEnqueued = false;
  #claiming: Promise<void> | null = null;
  #gathering: NodeJS.Timeout | null = null;
  #isDraining = false;
  /** Called when the last callout in flight is done, while the lanes drain. */
  #onEmpty: () => void = () => undefined;

  constructor(limits: LaneLimits, parts: LaneParts) {
    this.#limits = limits;
    this.#parts = parts;
    this.#slots = new LaneSlots(limits);
    this.#plan = new ClaimPlan(this.#slots, limits);
    parts.due.listen((webhookKeys) => this.enqueue(webhookKeys));
  }

  /** Begins to claim and to send. */
  begin(delivery: Delivery): void {
    this.#delivery = delivery;
    this.#claimNow();
  }

  /** Webhooks may have due callouts: claims for them at once, or right after the claim under way. */
  enqueue(webhookKeys: readonly number[]): void {
    for (const webhookKey of webhookKeys) this.#slots.laneOf(webhookKey).mayHaveDue = true;
    this.#isEnqueued = true;
    this.#claimNow();
  }

  /** Sends callouts that were leased elsewhere. */
  start(callouts: readonly LeasedCallout[]): void {
    for (const callout of callouts) {
      const lane = this.#slots.laneOf(callout.webhookKey);
      lane.tenantId = callout.tenantId;
      const hasSlot = this.#slots.inFlight < this.#limits.maxInFlight;
      this.#slots.acquire(lane);
      if (hasSlot) this.send(lane, callout);
      else this.#withoutSlot.push({ lane, callout });
    }
  }

  /** Nothing more is claimed while suspended for any reason. */
  suspend(why: SuspendedFor, isSuspended: boolean): void {
    if (isSuspended) this.#suspendedFor.add(why);
    else this.#suspendedFor.delete(why);
    this.#claimNow();
  }

  /** Reserves slots for new callouts of a webhook, as `LaneSlots.reserve`; none while another webhook waits for a slot. */
  reserve(webhookKey: number, tenantId: number, requested: number): number {
    const mayNot = this.#isHalted() || this.#plan.isKeptWaiting;
    return mayNot ? 0 : this.#slots.reserve(webhookKey, tenantId, requested);
  }

  /** Returns reserved slots that no callout uses. */
  returnReserved(webhookKey: number, count: number): void {
    const lane = this.#slots.laneOf(webhookKey);
    this.#slots.returnReserved(lane, count);
    this.#sendWithoutSlot();
    this.#freed += count;
    this.#plan.removeIfIdle(lane);
    this.#endDrain();
    this.#claimSoon();
  }

  /** Sends a callout for which a slot is reserved. */
  startReserved(callout: LeasedCallout): void {
    this.send(this.#slots.useReserved(callout.webhookKey), callout);
  }

  /** Callouts of the records were stored that wait for the end of an earlier callout. */
  addSuccessors(records: readonly RecordOfWebhook[]): void {
    if (records.length === 0) return;
    this.#successors.add(records);
    // The result of the earlier callout may already be in memory.
    this.#delivery?.hurry();
  }

  /** Callouts that have a slot of the process, and reserved slots. */
  get inFlight(): number {
    return this.#slots.inFlight - this.#withoutSlot.length;
  }

  /** How many more callouts of a webhook can be sent now. */
  capacityFor(webhookKey: number): number {
    return this.#isHalted() ? 0 : this.#slots.capacityFor(webhookKey);
  }

  /** Claims nothing more and waits for the callouts in flight. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    if (this.#gathering) clearTimeout(this.#gathering);
    await this.#claiming;
    this.#delivery?.hurry();
    if (this.#slots.inFlight > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }

  /** Sends a callout that has its slot. */
  send(lane: Lane, callout: LeasedCallout): void {
    const { leases, gates, longBodies } = this.#parts;
    let isUnderWay = true;
    const over = (): void => {
      if (!isUnderWay) return;
      isUnderWay = false;
      gates.onCallOver(callout);
      this.#slots.releaseLane(lane);
      this.#freed += 1;
      // The last claim released callouts without room, so callouts behind may be due. Only after a call, which makes
      // progress: otherwise the next claim would find the same callouts.
      if (longBodies.hadNone(callout)) lane.mayHaveDue = true;
      if (lane.mayHaveDue || this.#plan.isKeptWaiting) this.#claimSoon();
    };
    const answered = (result: CallResult): void => {
      this.#slots.recordResult(callout.webhookKey, result);
      over();
      if (this.#isAwaited(callout)) this.#delivery?.hurry();
    };
    leases.begin(callout);
    // Counted instead of kept in a set: the tables of a set that thousands pass through each second cost more than
    // sending.
    void this.#delivery?.deliver(callout, answered).finally(() => {
      over();
      leases.end(callout);
      this.#slots.releaseProcess();
      longBodies.release(callout.id);
      this.#sendWithoutSlot();
      this.#plan.removeIfIdle(lane);
      this.#endDrain();
      // Webhooks may have waited for a slot of the process.
      if (this.#slots.inFlight === this.#limits.maxInFlight - 1) this.#claimSoon();
    });
  }

  #isHalted(): boolean {
    return this.#isDraining || this.#suspendedFor.size > 0;
  }

  /** Whether something waits for the end of a callout: the next of its record, a slot of this process, or draining. */
  #isAwaited(callout: LeasedCallout): boolean {
    const hasSuccessor = this.#successors.remove(callout);
    // With a backlog, the next callout of the record would have to wait anyway.
    if (hasSuccessor && !this.#slots.hasBacklog(callout.webhookKey)) return true;
    return this.#slots.inFlight >= this.#limits.maxInFlight || this.#isDraining;
  }

  /** Slots of the process were freed. */
  #sendWithoutSlot(): void {
    while (this.#withoutSlot.length > 0 && this.inFlight < this.#limits.maxInFlight) {
      const next = this.#withoutSlot.shift();
      if (next) this.send(next.lane, next.callout);
    }
  }

  #endDrain(): void {
    if (this.#isDraining && this.#slots.inFlight === 0) this.#onEmpty();
  }

  /** Claims when enough slots are free for a claim, or when free slots have had time to gather. */
  #claimSoon(): void {
    if (this.#claiming || this.#isDraining) return;
    if (this.#plan.isWorthAClaim(this.#freed)) this.#claimNow();
    else this.#gathering ??= setTimeout(() => this.#claimNow(), this.#limits.gatherMs);
  }

  #claimNow(): void {
    if (this.#claiming || this.#delivery === null) return;
    if (this.#gathering) clearTimeout(this.#gathering);
    this.#gathering = null;
    this.#freed = 0;
    this.#isEnqueued = false;
    const requested = this.#request();
    if (requested.length === 0) return;
    this.#claiming = this.#claim(this.#delivery, requested).finally(() => {
      this.#claiming = null;
      // More was enqueued meanwhile, or the lanes got only their share of the free slots: claim the rest at once.
      const more = this.#request().reduce((sum, { slots }) => sum + slots, 0);
      if (more > 0 && (this.#isEnqueued || this.#plan.isWorthAClaim(more))) this.#claimNow();
      else if (more > 0) this.#claimSoon();
    });
  }

  #request(): FreeSlots[] {
    return this.#isHalted() ? [] : this.#plan.request();
  }

  async #claim(delivery: Delivery, requested: readonly FreeSlots[]): Promise<void> {
    const { gates, longBodies, onClaimFailed } = this.#parts;
    const claiming = this.#plan.begin(requested);
    let callouts: LeasedCallout[] = [];
    try {
      const wanted = gates.openAmong(requested);
      if (wanted.length > 0) callouts = await delivery.claim(wanted, longBodies, (limits) => gates.onFound(limits));
      this.start(callouts);
    } catch (error) {
      // Nothing is lost: the callouts are unchanged, or leased until the sweep finds them.
      onClaimFailed(error);
    }
    this.#plan.end(claiming, callouts);
  }
}
