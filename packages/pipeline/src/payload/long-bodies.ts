import { createPermits } from '@callout/runtime/concurrency/permits';

/** Bytes up to which a body counts as short: short bodies of all slots of a process are a few megabytes. */
const longFrom = 64 * 1024;
/** Bytes of all long bodies of a process: about twenty of the longest, or 500 that are just above the limit. */
const mostBytes = 32 * 1024 * 1024;
/**
 * The part of the room that is offered at once to webhooks that found no room: each claim of such a webhook leases as many
 * callouts as there are slots, and releases all that do not fit. An offer for every single body would lease a hundred.
 */
const offeredShare = 1 / 8;

/** A callout whose body may be long. */
export interface BodyToTake {
  readonly id: string;
  readonly tenantId: number;
  readonly webhookKey: number;
  readonly bodyBytes: number;
}

/** Room for the long bodies that a process has in memory, in bytes. */
export interface LongBodies {
  /**
   * Takes room for the body of a callout until `release`. Short bodies need no room.
   * @returns whether there was room. If not, a claim is to lease the callout.
   */
  take(callout: BodyToTake): boolean;
  /**
   * Called when the call of a callout is over: whether another callout of the webhook had no room since the last call of
   * the function, so that more callouts may be due. Never after the call of a long body, whose release offers the room.
   */
  hadNone(callout: Pick<BodyToTake, 'id' | 'webhookKey'>): boolean;
  /** Releases what a callout has taken, perhaps nothing. */
  release(calloutId: string): void;
}

/**
 * Bounds the bytes of long bodies, fairly among tenants: a tenant has no more of the room than it leaves free. A single
 * callout always has room, and so has a short body, so long bodies that hang delay no short bodies.
 * @param onFreed called with the webhooks of callouts that had no room, when room was released.
 */
export function createLongBodies(onFreed: (webhookKeys: readonly number[]) => void, most = mostBytes): LongBodies {
  const room = createPermits<number>({ total: most, perKey: 'share' });
  const bodiesWithRoom = new Map<string, Pick<BodyToTake, 'tenantId' | 'bodyBytes'>>();
  /** Webhooks of callouts that had no room, with the tenants. */
  const refused = new Map<number, number>();
  let freedBytes = 0;
  return {
    take({ id, tenantId, webhookKey, bodyBytes }) {
      if (bodyBytes <= longFrom || bodiesWithRoom.has(id)) return true;
      if (room.refusal(tenantId, 0, bodyBytes) !== undefined) {
        refused.set(webhookKey, tenantId);
        return false;
      }
      room.add(tenantId, bodyBytes);
      bodiesWithRoom.set(id, { tenantId, bodyBytes });
      return true;
    },
    hadNone: ({ id, webhookKey }) => !bodiesWithRoom.has(id) && refused.delete(webhookKey),
    release(calloutId) {
      const released = bodiesWithRoom.get(calloutId);
      if (released === undefined) return;
      bodiesWithRoom.delete(calloutId);
      room.add(released.tenantId, -released.bodyBytes);
      freedBytes += released.bodyBytes;
      const isOffered = freedBytes >= most * offeredShare || bodiesWithRoom.size === 0;
      if (isOffered) freedBytes = 0;
      // A tenant without long bodies must not wait for bodies of another tenant, which may hang.
      const isLast = ![...bodiesWithRoom.values()].some(({ tenantId }) => tenantId === released.tenantId);
      const webhookKeys = [...refused].flatMap(([webhookKey, tenantId]) =>
        isOffered || (isLast && tenantId === released.tenantId) ? [webhookKey] : [],
      );
      for (const webhookKey of webhookKeys) refused.delete(webhookKey);
      onFreed(webhookKeys);
    },
  };
}

/**
 * Does work with callouts that have taken room, and releases the room of callouts that the result leaves out.
 * @param withRoom read when the work is done: the work may add some.
 * @param longBodies absent: nothing is bounded.
 */
export async function keepingRoom<Kept extends { readonly id: string }>(
  longBodies: LongBodies | undefined,
  withRoom: readonly { readonly id: string }[],
  work: () => Promise<Kept[]>,
): Promise<Kept[]> {
  let kept: Kept[] = [];
  try {
    kept = await work();
    return kept;
  } finally {
    const keptIds = new Set(kept.map(({ id }) => id));
    for (const { id } of withRoom) if (!keptIds.has(id)) longBodies?.release(id);
  }
}
