import { createPermits } from '@callout/runtime/concurrency/permits';

/** Bytes up to which a body counts as short: those of all slots of a process are a few megabytes. */
const longFrom = 64 * 1024;
/** Bytes of all long bodies of a process: about twenty of the longest, or 500 that are just above the limit. */
const mostBytes = 32 * 1024 * 1024;
/**
 * The part of the room that is offered at once to webhooks that found none: each claim of theirs leases as many callouts
 * as there are slots, and releases all that do not fit. For every single body that was sent, that would be a hundred.
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
   * Takes room for the body of a callout until `release`. Short ones need none.
   * @returns whether there was room. If not, the callout is to be left to be claimed.
   */
  take(callout: BodyToTake): boolean;
  /**
   * Asked when the call of a callout is over: whether another callout of its webhook had no room since this was last
   * asked, so that others behind it may be due. Not after the call of a long body, whose release offers its room.
   */
  hadNone(callout: Pick<BodyToTake, 'id' | 'webhookKey'>): boolean;
  /** Releases what a callout has taken, perhaps nothing. */
  release(calloutId: string): void;
}

/**
 * Bounds the bytes of long bodies, fairly among tenants: a tenant has no more of the room than it leaves free. One
 * callout always has room, and so has a short one, so long bodies that hang delay no short ones.
 * @param onFreed called with the webhooks of callouts that had no room, when some was released.
 */
export function createLongBodies(onFreed: (webhookKeys: readonly number[]) => void, most = mostBytes): LongBodies {
  const room = createPermits<number>({ total: most, perKey: 'share' });
  const taken = new Map<string, Pick<BodyToTake, 'tenantId' | 'bodyBytes'>>();
  /** Webhooks of callouts that had no room, with their tenants. */
  const refused = new Map<number, number>();
  let freedBytes = 0;
  return {
    take({ id, tenantId, webhookKey, bodyBytes }) {
      if (bodyBytes <= longFrom || taken.has(id)) return true;
      if (room.refusal(tenantId, 0, bodyBytes) !== undefined) {
        refused.set(webhookKey, tenantId);
        return false;
      }
      room.add(tenantId, bodyBytes);
      taken.set(id, { tenantId, bodyBytes });
      return true;
    },
    hadNone: ({ id, webhookKey }) => !taken.has(id) && refused.delete(webhookKey),
    release(calloutId) {
      const one = taken.get(calloutId);
      if (one === undefined) return;
      taken.delete(calloutId);
      room.add(one.tenantId, -one.bodyBytes);
      freedBytes += one.bodyBytes;
      const isOffered = freedBytes >= most * offeredShare || taken.size === 0;
      if (isOffered) freedBytes = 0;
      // A tenant that has no other must not wait for bodies of others, which may hang.
      const isLast = ![...taken.values()].some(({ tenantId }) => tenantId === one.tenantId);
      const webhookKeys = [...refused].flatMap(([webhookKey, tenantId]) =>
        isOffered || (isLast && tenantId === one.tenantId) ? [webhookKey] : [],
      );
      for (const webhookKey of webhookKeys) refused.delete(webhookKey);
      onFreed(webhookKeys);
    },
  };
}

/**
 * Does work with callouts that have taken room, and releases the room of those that its result leaves out.
 * @param taken read when the work is done: it may add some.
 * @param longBodies absent: nothing is bounded.
 */
export async function keepingRoom<Kept extends { readonly id: string }>(
  longBodies: LongBodies | undefined,
  taken: readonly { readonly id: string }[],
  work: () => Promise<Kept[]>,
): Promise<Kept[]> {
  let kept: Kept[] = [];
  try {
    kept = await work();
    return kept;
  } finally {
    const keptIds = new Set(kept.map(({ id }) => id));
    for (const { id } of taken) if (!keptIds.has(id)) longBodies?.release(id);
  }
}
