import type { ClaimedCallout, FreePlaces } from '@callout/db';

export interface LanesDeps {
  /** Leases due callouts from PostgreSQL. */
  claim: (wanted: readonly FreePlaces[]) => Promise<ClaimedCallout[]>;
  /**
   * Sends one callout, calls `answered` when its receiver is done with it, and resolves when its result is stored.
   * Never rejects.
   */
  deliver: (callout: ClaimedCallout, answered: () => void) => Promise<void>;
  /** Callouts in hand at once in this process: being sent, or their results being stored. */
  maxInFlight: number;
  /** Calls under way at once to one webhook. */
  maxInFlightPerWebhook: number;
  /** How long free places may gather before they are filled: fewer, larger claims. */
  gatherMs: number;
  onError: (error: unknown) => void;
}

export interface Lanes {
  /** These webhooks may have due callouts. */
  wake(webhookKeys: readonly number[]): void;
  /** Callouts in hand. */
  inFlight(): number;
  /** Claims nothing more and waits for the callouts in hand. */
  drain(): Promise<void>;
}

interface Lane {
  webhookKey: number;
  inFlight: number;
  /** PostgreSQL may have more for it. */
  mayHaveDue: boolean;
  isClaiming: boolean;
}

/** Webhooks asked for in one claim. */
const maxLanesPerClaim = 200;

/**
 * A lane per webhook: a bounded number of calls under way, filled from PostgreSQL as places come free. A receiver that
 * hangs holds its own places and nobody else's, and however long its backlog, nothing of it is kept in memory.
 */
export function createLanes(deps: LanesDeps): Lanes {
  const { maxInFlight, maxInFlightPerWebhook, gatherMs } = deps;
  const worthAClaim = Math.max(1, Math.floor(Math.min(maxInFlight, maxInFlightPerWebhook) / 4));
  /** In the order in which they take their turn. */
  const lanes = new Map<number, Lane>();
  let inFlight = 0;
  /** Places that came free since the last claim. */
  let freed = 0;
  /** A wake-up call came since the last claim. */
  let isWoken = false;
  let isDraining = false;
  let claiming: Promise<void> | null = null;
  let gathering: NodeJS.Timeout | null = null;
  /** Told when the last callout in hand is done, once this drains. */
  let onEmpty: () => void = () => undefined;

  function laneOf(webhookKey: number): Lane {
    const lane = lanes.get(webhookKey) ?? { webhookKey, inFlight: 0, mayHaveDue: false, isClaiming: false };
    lanes.set(webhookKey, lane);
    return lane;
  }

  function removeIfIdle(lane: Lane): void {
    if (!lane.mayHaveDue && !lane.isClaiming && lane.inFlight === 0) lanes.delete(lane.webhookKey);
  }

  /** After a place came free: claims when a quarter of a lane's worth has, or when they have had time to gather. */
  function claimSoon(): void {
    if (claiming || isDraining) return;
    if (freed >= worthAClaim) claimNow();
    else gathering ??= setTimeout(claimNow, gatherMs);
  }

  function claimNow(): void {
    if (gathering) clearTimeout(gathering);
    gathering = null;
    freed = 0;
    isWoken = false;
    const wanted = isDraining ? [] : wantedPlaces();
    if (wanted.length === 0) return;
    claiming = claim(wanted).finally(() => {
      claiming = null;
      // Woken meanwhile, or the lanes have had only their share of the free places: there is more to be had at once.
      if (isWoken || countPlaces(wantedPlaces()) >= worthAClaim) claimNow();
      else if ([...lanes.values()].some(wantsMore)) claimSoon();
    });
  }

  function wantsMore({ mayHaveDue, inFlight: taken }: Lane): boolean {
    return mayHaveDue && taken < maxInFlightPerWebhook;
  }

  /** Free places, shared evenly among the lanes that want some. */
  function wantedPlaces(): FreePlaces[] {
    const wanting = [...lanes.values()].filter(wantsMore).slice(0, maxLanesPerClaim);
    let free = maxInFlight - inFlight;
    const share = Math.max(1, Math.floor(free / Math.max(1, wanting.length)));
    const wanted: FreePlaces[] = [];
    for (const { webhookKey, inFlight: taken } of wanting) {
      if (free <= 0) break;
      const places = Math.min(share, free, maxInFlightPerWebhook - taken);
      wanted.push({ webhookKey, places });
      free -= places;
    }
    return wanted;
  }

  async function claim(wanted: readonly FreePlaces[]): Promise<void> {
    const asked = wanted.map(({ webhookKey, places }) => ({ lane: laneOf(webhookKey), places, got: 0 }));
    for (const { lane } of asked) {
      // A wake-up call that comes while the claim is under way sets it again.
      lane.mayHaveDue = false;
      lane.isClaiming = true;
      lanes.delete(lane.webhookKey);
      lanes.set(lane.webhookKey, lane);
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
    for (const { lane, places, got } of asked) {
      lane.isClaiming = false;
      if (got >= places) lane.mayHaveDue = true;
      removeIfIdle(lane);
    }
  }

  function start(callout: ClaimedCallout): void {
    const lane = laneOf(callout.webhookKey);
    lane.inFlight += 1;
    inFlight += 1;
    let isUnderWay = true;
    const leaveLane = (): void => {
      if (!isUnderWay) return;
      isUnderWay = false;
      lane.inFlight -= 1;
      freed += 1;
      if (lane.mayHaveDue) claimSoon();
    };
    // Counted and not kept in a set: the tables of a set that thousands pass through each second cost more than sending.
    void deps.deliver(callout, leaveLane).finally(() => {
      leaveLane();
      inFlight -= 1;
      removeIfIdle(lane);
      if (isDraining && inFlight === 0) onEmpty();
      // Others may have been kept waiting by the limit of the process.
      if (inFlight === maxInFlight - 1) claimSoon();
    });
  }

  return {
    wake(webhookKeys) {
      for (const webhookKey of webhookKeys) laneOf(webhookKey).mayHaveDue = true;
      isWoken = true;
      if (!claiming && !isDraining) claimNow();
    },
    inFlight: () => inFlight,
    async drain() {
      isDraining = true;
      if (gathering) clearTimeout(gathering);
      await claiming;
      if (inFlight > 0) await new Promise<void>((resolve) => (onEmpty = resolve));
    },
  };
}

function countPlaces(wanted: readonly FreePlaces[]): number {
  return wanted.reduce((sum, { places }) => sum + places, 0);
}
