export interface SlotLimits {
  /** Slots altogether. */
  readonly total: number;
  /** Slots that one key may have. */
  readonly perKey: number;
}

/** A slot, held or still waited for. */
export interface Slot {
  /** Resolves when the slot is there; undefined: it is already. */
  readonly ready: Promise<void> | undefined;
  /** Gives the slot back, or stops waiting for it. To be called exactly once. */
  readonly release: () => void;
}

/** Slots for work that is bounded altogether and per key, such as a tenant or a host. */
export interface FairSlots<Key> {
  take(key: Key): Slot;
  /** Whether the key has all the slots that one key may have. */
  isAtLimit(key: Key): boolean;
  /** Whether a slot that is taken now has to be waited for. */
  mustWait(key: Key): boolean;
  /** How many wait: for this key, or altogether. */
  waiting(key?: Key): number;
}

/**
 * Gives out slots fairly: keys that wait take turns, however many of one key wait, and those of one key go in the order in
 * which they came. A key that has all it may have is passed over and holds up no other.
 */
export function createFairSlots<Key>({ total, perKey }: SlotLimits): FairSlots<Key> {
  const held = new Map<Key, number>();
  /** Who waits, by key, the keys in the order of their turns; none of the sets is empty. */
  const queues = new Map<Key, Set<() => void>>();
  let free = total;
  let waiting = 0;

  const isAtLimit = (key: Key) => (held.get(key) ?? 0) >= perKey;
  // A free slot was offered to all who wait when it became free, so it is this key's if it may have one more.
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
    take(key) {
      if (mustWait(key)) return waitFor(key);
      hold(key);
      return { ready: undefined, release: () => giveBack(key) };
    },
    isAtLimit,
    mustWait,
    waiting: (key) => (key === undefined ? waiting : (queues.get(key)?.size ?? 0)),
  };
}
