import type { ClaimedCallout, FreePlaces } from '@callout/db';

export interface LanesDeps {
  /** Leases due callouts from PostgreSQL. */
  claim: (wanted: readonly FreePlaces[]) => Promise<ClaimedCallout[]>;
  /** Sends one callout and hands its result on. Never rejects. */
  deliver: (callout: ClaimedCallout) => Promise<void>;
  /** Calls under way at once in this process, and of one webhook. */
  maxInFlight: number;
  maxInFlightPerWebhook: number;
  /** How long free places may gather before they are filled: fewer, larger claims. */
  gatherMs: number;
  onError: (error: unknown) => void;
}

export interface Lanes {
  /** These webhooks may have due callouts. */
  wake(webhookKeys: readonly number[]): void;
  /** Calls under way. */
  inFlight(): number;
  /** Claims nothing more and waits for the calls under way. */
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
  const { maxInFlight, maxInFlightPerWebhook } = deps;
  /** In the order in which they take their turn. */
  const lanes = new Map<number, Lane>();
  const underWay = new Set<Promise<void>>();
  let inFlight = 0;
  let isDraining = false;
  let claiming: Promise<void> | null = null;
  let gathering: NodeJS.Timeout | null = null;

  function laneOf(webhookKey: number): Lane {
    const lane = lanes.get(webhookKey) ?? { webhookKey, inFlight: 0, mayHaveDue: false, isClaiming: false };
    lanes.set(webhookKey, lane);
    return lane;
  }

  function removeIfIdle(lane: Lane): void {
    if (!lane.mayHaveDue && !lane.isClaiming && lane.inFlight === 0) lanes.delete(lane.webhookKey);
  }

  /** Fills places now when a quarter of a lane's worth is free, else when they have had time to gather. */
  function fill(): void {
    if (claiming || isDraining) return;
    const wanted = wantedPlaces();
    if (wanted.length === 0) return;
    const places = wanted.reduce((sum, lane) => sum + lane.places, 0);
    if (places * 4 >= Math.min(maxInFlightPerWebhook, maxInFlight)) {
      claiming = claim(wanted).finally(() => {
        claiming = null;
        fill();
      });
    } else {
      gathering ??= setTimeout(() => {
        gathering = null;
        if (claiming || isDraining) return;
        claiming = claim(wantedPlaces()).finally(() => {
          claiming = null;
          fill();
        });
      }, deps.gatherMs);
    }
  }

  /** Free places, shared evenly among the lanes that want some. */
  function wantedPlaces(): FreePlaces[] {
    const wanting = [...lanes.values()]
      .filter((lane) => lane.mayHaveDue && lane.inFlight < maxInFlightPerWebhook)
      .slice(0, maxLanesPerClaim);
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
    if (wanted.length === 0) return;
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
    const call = deps.deliver(callout).finally(() => {
      underWay.delete(call);
      lane.inFlight -= 1;
      inFlight -= 1;
      removeIfIdle(lane);
      fill();
    });
    underWay.add(call);
  }

  return {
    wake(webhookKeys) {
      for (const webhookKey of webhookKeys) laneOf(webhookKey).mayHaveDue = true;
      fill();
    },
    inFlight: () => inFlight,
    async drain() {
      isDraining = true;
      if (gathering) clearTimeout(gathering);
      await claiming;
      await Promise.all(underWay);
    },
  };
}
