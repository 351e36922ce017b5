export interface SlotLimits {
  /** Slots altogether. */
  readonly total: number;
  /** Slots that one key may have. */
  readonly perKey: number;
}

/** A slot, acquired or waited for. */
export interface Slot {
  /** Resolves when the slot is there; undefined: it is already. */
  readonly ready: Promise<void> | undefined;
  /** Gives the slot back, or stops waiting for it. To be called exactly once. */
  readonly release: () => void;
}

/** Slots for work that is bounded altogether and per key, such as a tenant or a host. */
export interface FairSlots<Key> {
  acquire(key: Key): Slot;
  /** Whether the key has all the slots that one key may have. */
  isAtLimit(key: Key): boolean;
  /** Whether a new slot would have to wait. */
  mustWait(key: Key): boolean;
  /** How many wait: for this key, or altogether. */
  waiting(key?: Key): number;
}

/**
 * Assigns slots fairly: waiting keys take turns, independent of how many wait with one key, and the waiting ones of one
 * key keep their order. A key at its limit is skipped and delays no other.
 */
export function createFairSlots<Key>({ total, perKey }: SlotLimits): FairSlots<Key> {
  const held = new Map<Key, number>();
  /** The waiting ones by key, the keys in the order of their turns; none of the sets is empty. */
  const queues = new Map<Key, Set<() => void>>();
  let free = total;
  let waiting = 0;

  const isAtLimit = (key: Key) => (held.get(key) ?? 0) >= perKey;
  // A free slot was offered to all that wait when it became free, so this key may have it unless it is at its limit.
  const mustWait = (key: Key) => free === 0 || isAtLimit(key);

  function hold(key: Key): void {
    free -= 1;
    held.set(key, (held.get(key) ?? 0) + 1);
  }

  function giveBack(key: Key): void {
    free += 1;
    const left = (held.get(key) ?? 0) - 1;
    if (left > 0) held.set(key, left);
    else held.delete(key);
    if (waiting > 0) admitWaiting();
  }

  function admitWaiting(): void {
    for (const [key, queue] of queues) {
      if (free === 0) return;
      if (isAtLimit(key)) continue;
      const [first] = queue;
      if (first === undefined) continue;
      leave(key, queue, first);
      // Behind the other keys, if more of this one wait.
      if (queues.delete(key)) queues.set(key, queue);
      hold(key);
      first();
    }
  }

  function leave(key: Key, queue: Set<() => void>, one: () => void): void {
    queue.delete(one);
    waiting -= 1;
    if (queue.size === 0) queues.delete(key);
  }

  function waitFor(key: Key): Slot {
    const queue = queues.get(key) ?? new Set();
    let admit: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => {
      admit = resolve;
    });
    queue.add(admit);
    queues.set(key, queue);
    waiting += 1;
    return { ready, release: () => (queue.has(admit) ? leave(key, queue, admit) : giveBack(key)) };
  }

  return {
    acquire(key) {
      if (mustWait(key)) return waitFor(key);
      hold(key);
      return { ready: undefined, release: () => giveBack(key) };
    },
    isAtLimit,
    mustWait,
    waiting: (key) => (key === undefined ? waiting : (queues.get(key)?.size ?? 0)),
  };
}
