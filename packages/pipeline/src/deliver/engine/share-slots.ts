import type { FreeSlots } from '../claim.ts';

/** A lane that may have callouts to send. */
export interface LaneCandidate {
  webhookKey: number;
  tenantId: number | undefined;
  /** Calls that the lane could begin now. */
  slots: number;
  /** Calls under way to the receiver. */
  underWay: number;
  isSlow: boolean;
}

export interface SlotsToShare {
  free: number;
  /** How many free slots may go to slow receivers. */
  freeForSlow: number;
  /** How many free slots may be used beyond the first call of each lane. */
  freeForMore: number;
  /** Maximum number of lanes that get slots. */
  maxLanes: number;
}

/**
 * Shares free slots: evenly among tenants, and of each tenant evenly among the lanes, so that a tenant with many webhooks
 * gets no more than a tenant with few. Some are kept for lanes without a call under way. A lane whose tenant is not known
 * yet counts as a separate tenant.
 * @param lanes in order of service, longest ago first.
 * @param servedAt when a tenant was last given slots, in any unit that rises.
 */
export function shareSlots(
  lanes: readonly LaneCandidate[],
  { free, freeForSlow, freeForMore, maxLanes }: SlotsToShare,
  servedAt: (tenantId: number) => number,
): FreeSlots[] {
  const tenants = [...byTenant(lanes)].toSorted(([a], [b]) => servedAt(a) - servedAt(b)).map(([, members]) => members);
  const shareOfTenant = Math.floor(free / Math.max(1, tenants.length));
  const wanted: FreeSlots[] = [];
  let freeSlots = free;
  let leftForSlow = freeForSlow;
  let leftForMore = freeForMore;
  for (const { lane, members } of roundRobin(tenants)) {
    if (freeSlots <= 0 || wanted.length >= maxLanes) break;
    const share = Math.max(1, Math.floor(shareOfTenant / members));
    const first = lane.underWay === 0 ? 1 : 0;
    const most = Math.min(freeSlots, lane.isSlow ? leftForSlow : freeSlots, first + leftForMore);
    const slots = Math.min(lane.slots, share, most);
    if (slots <= 0) continue;
    wanted.push({ webhookKey: lane.webhookKey, slots });
    freeSlots -= slots;
    leftForMore -= slots - first;
    if (lane.isSlow) leftForSlow -= slots;
  }
  return wanted;
}

function byTenant(lanes: readonly LaneCandidate[]): Map<number, LaneCandidate[]> {
  const tenants = new Map<number, LaneCandidate[]>();
  for (const lane of lanes) {
    const tenantId = lane.tenantId ?? -lane.webhookKey;
    const members = tenants.get(tenantId);
    if (members) members.push(lane);
    else tenants.set(tenantId, [lane]);
  }
  return tenants;
}

/** The first lane of each tenant, then the second of each, and so on. */
function* roundRobin(tenants: readonly LaneCandidate[][]): Generator<{ lane: LaneCandidate; members: number }> {
  const rounds = tenants.reduce((most, members) => Math.max(most, members.length), 0);
  for (let round = 0; round < rounds; round += 1) {
    for (const members of tenants) {
      const lane = members[round];
      if (lane) yield { lane, members: members.length };
    }
  }
}
