/** How many may work at once, and how many may wait for that. */
export interface PlaceLimits {
  readonly places: number;
  readonly placesPerKey: number;
  readonly maxWaiting: number;
  readonly maxWaitingPerKey: number;
  readonly maxWaitMs: number;
}

interface FairPlacesDeps {
  readonly limits: PlaceLimits;
  /** What who gets no place is told. `isOwnDoing`: the key has all the places that one key may have. */
  readonly refusal: (isOwnDoing: boolean) => Error;
}

/** Does work for a key as soon as there is a place. Rejects with the refusal when too many wait, or it waits too long. */
export type InPlace<Key> = <T>(key: Key, work: () => Promise<T>) => Promise<T>;

interface Waiting {
  readonly start: () => void;
  readonly refuse: () => void;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Bounds work that is dear, fairly: no key has more than its share of the places, and keys that wait take turns, however
 * many of one key wait. Who comes first of a key goes first.
 */
export function createFairPlaces<Key>({ limits, refusal }: FairPlacesDeps): InPlace<Key> {
  const held = new Map<Key, number>();
  /** The keys in the order of their turns; none of them has an empty queue. */
  const queues = new Map<Key, Set<Waiting>>();
  let free = limits.places;
  let waiting = 0;

  const hasAllItMay = (key: Key) => (held.get(key) ?? 0) >= limits.placesPerKey;

  function take(key: Key): void {
    free -= 1;
    held.set(key, (held.get(key) ?? 0) + 1);
  }

  function giveBack(key: Key): void {
    free += 1;
    const left = (held.get(key) ?? 0) - 1;
    if (left > 0) held.set(key, left);
    else held.delete(key);
    for (const [turn, queue] of queues) {
      if (free === 0) return;
      if (hasAllItMay(turn)) continue;
      const [first] = queue;
      // Its turn is over: behind the others, if more of it wait.
      queues.delete(turn);
      if (first === undefined) continue;
      if (queue.size > 1) queues.set(turn, queue);
      leave(turn, queue, first);
      take(turn);
      first.start();
    }
  }

  function leave(key: Key, queue: Set<Waiting>, one: Waiting): void {
    clearTimeout(one.timer);
    queue.delete(one);
    waiting -= 1;
    if (queue.size === 0) queues.delete(key);
  }

  function place(key: Key): Promise<void> {
    // Whoever could start has been started, so a free place is free for this key when it may have one more.
    if (free > 0 && !hasAllItMay(key)) {
      take(key);
      return Promise.resolve();
    }
    const queue = queues.get(key) ?? new Set<Waiting>();
    const isOwnDoing = hasAllItMay(key);
    if (queue.size >= limits.maxWaitingPerKey || waiting >= limits.maxWaiting) {
      return Promise.reject(refusal(isOwnDoing));
    }
    return new Promise((resolve, reject) => {
      const one: Waiting = { start: resolve, refuse: () => reject(refusal(hasAllItMay(key))), timer: undefined };
      one.timer = setTimeout(() => {
        leave(key, queue, one);
        one.refuse();
      }, limits.maxWaitMs);
      queue.add(one);
      queues.set(key, queue);
      waiting += 1;
    });
  }

  return async (key, work) => {
    await place(key);
    try {
      return await work();
    } finally {
      giveBack(key);
    }
  };
}
