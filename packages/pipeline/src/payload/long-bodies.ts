import { createPermits } from '@callout/runtime/concurrency/permits';

/** Bytes up to which a body counts as short: those of all slots of a process are a few megabytes. */
const longFrom = 64 * 1024;
/** Bytes of the long bodies of a process: some twenty of the longest, hundreds of those that are just long. */
const mostBytes = 32 * 1024 * 1024;

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
  /** Whether a callout of the webhook had no room since this was last asked, and none was released since. */
  hadNone(webhookKey: number): boolean;
  /** Releases what a callout has taken, perhaps nothing. */
  release(calloutId: string): void;
}

/**
 * Bounds the bytes of long bodies, fairly among tenants: a tenant has no more of the room than it leaves free. One
 * callout always has room, and so has a short one, so long bodies that hang delay no short ones.
 * @param onFreed called with the webhooks of callouts that had no room, when there may be some again.
 */
export function createLongBodies(onFreed: (webhookKeys: readonly number[]) => void, most = mostBytes): LongBodies {
  const room = createPermits<number>({ total: most, perKey: 'share' });
  const taken = new Map<string, Pick<BodyToTake, 'tenantId' | 'bodyBytes'>>();
  const refused = new Set<number>();
  return {
    take({ id, tenantId, webhookKey, bodyBytes }) {
      if (bodyBytes <= longFrom || taken.has(id)) return true;
      if (room.refusal(tenantId, 0, bodyBytes) !== undefined) {
        refused.add(webhookKey);
        return false;
      }
      room.add(tenantId, bodyBytes);
      taken.set(id, { tenantId, bodyBytes });
      return true;
    },
    hadNone: (webhookKey) => refused.delete(webhookKey),
    release(calloutId) {
      const one = taken.get(calloutId);
      if (one === undefined) return;
      taken.delete(calloutId);
      room.add(one.tenantId, -one.bodyBytes);
      const webhookKeys = [...refused];
      refused.clear();
      onFreed(webhookKeys);
    },
  };
}

/**
 * Does work with callouts that have taken room, and releases that of those that are not in its result.
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
