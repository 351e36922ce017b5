export interface PermitLimits {
  /** Permits altogether. */
  readonly total: number;
  /**
   * Permits of a key, such as a tenant or a host. `share`: as many as stay free, so a key alone has half, and a key
   * beside another has a third, like the other. However many keys take all they can, a new key always finds permits
   * (the rule of dynamic thresholds, Choudhury and Hahne, for the buffers of switches).
   */
  readonly perKey: number | 'share';
}

/** Why a permit is refused: all are in use, or the key has reached its limit. */
export type PermitRefusal = 'full' | 'share';

/** A permit, acquired or waited for. */
export interface Permit {
  /** Resolves when the permit is there; undefined: it is already. */
  readonly ready: Promise<void> | undefined;
  /** Gives the permit back, or stops waiting for it. To be called exactly once. */
  readonly release: () => void;
}

/** Permits for work that is bounded altogether and per key. Work may need one permit, or any number of them. */
export interface Permits<Key> {
  /** One permit. Waiting keys take turns; a key at its limit is skipped and delays no other key. */
  acquire(key: Key): Permit;
  /**
   * Why work may not have `after` permits in place of `before`; undefined when it may. The only work of a key may have
   * more than the key's share, up to all free permits, and work that is alone may have more than all.
   */
  refusal(key: Key, before: number, after: number): PermitRefusal | undefined;
  /** Takes that many permits, or gives them back where negative, whatever the limits are. */
  add(key: Key, amount: number): void;
  /** The part of what the key can have that is in use, by itself or by all: 0 to 1, and more after `add`. */
  usage(key: Key): number;
  /** Whether the key has reached its limit. */
  isAtLimit(key: Key): boolean;
  /** How many wait: for this key, or altogether. */
  waiting(key?: Key): number;
}

/** The only limiter of what is done at once: with or without waiting, by number or by weight, always fair among keys. */
export function createPermits<Key>({ total, perKey }: PermitLimits): Permits<Key> {
  const permitsByKey = new Map<Key, number>();
  /** The waiting ones by key, the keys in the order of their turns; none of the sets is empty. */
  const queues = new Map<Key, Set<() => void>>();
  let used = 0;
  let waiting = 0;

  const heldBy = (key: Key) => permitsByKey.get(key) ?? 0;
  const mostOf = (key: Key) => (perKey === 'share' ? (total - (used - heldBy(key))) / 2 : perKey);
  const isAtLimit = (key: Key) => heldBy(key) + 1 > mostOf(key);

  function refusal(key: Key, before: number, after: number): PermitRefusal | undefined {
    if (used - before + after > total && used > before) return 'full';
    const permitsOfKey = heldBy(key);
    return permitsOfKey - before + after > mostOf(key) && permitsOfKey > before ? 'share' : undefined;
  }

  function add(key: Key, amount: number): void {
    used += amount;
    const permitsOfKey = heldBy(key) + amount;
    if (permitsOfKey === 0) permitsByKey.delete(key);
    else permitsByKey.set(key, permitsOfKey);
    if (amount < 0 && waiting > 0) admitWaiting();
  }

  function admitWaiting(): void {
    for (const [key, queue] of queues) {
      if (used >= total) return;
      const [first] = queue;
      if (first === undefined || isAtLimit(key)) continue;
      leave(key, queue, first);
      // Behind the other keys, if more work of the key waits.
      if (queues.delete(key)) queues.set(key, queue);
      add(key, 1);
      first();
    }
  }

  function leave(key: Key, queue: Set<() => void>, one: () => void): void {
    queue.delete(one);
    waiting -= 1;
    if (queue.size === 0) queues.delete(key);
  }

  function waitFor(key: Key): Permit {
    const queue = queues.get(key) ?? new Set();
    let admit: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => (admit = resolve));
    queue.add(admit);
    queues.set(key, queue);
    waiting += 1;
    return { ready, release: () => (queue.has(admit) ? leave(key, queue, admit) : add(key, -1)) };
  }

  return {
    acquire(key) {
      // A free permit was offered to all waiting keys when it became free, so the key may have the permit below its
      // limit.
      if (refusal(key, 0, 1) !== undefined) return waitFor(key);
      add(key, 1);
      return { ready: undefined, release: () => add(key, -1) };
    },
    refusal,
    add,
    usage(key) {
      const most = mostOf(key);
      return Math.max(used / total, most > 0 ? heldBy(key) / most : 0);
    },
    isAtLimit,
    waiting: (key) => (key === undefined ? waiting : (queues.get(key)?.size ?? 0)),
  };
}

/** How much work may wait for a permit, and how long. */
export interface WorkLimits extends PermitLimits {
  readonly maxWaiting: number;
  readonly maxWaitingPerKey: number;
  readonly maxWaitMs: number;
}

/** Does work for a key as soon as it has a permit. Rejects when too much waits, or it waits too long. */
export type WithPermit<Key> = <T>(key: Key, work: () => Promise<T>) => Promise<T>;

/**
 * Bounds work, fairly among keys, and with it how much may wait and how long.
 * @param refused the error for work that gets no permit. `share`: the key has reached its limit.
 */
export function createWithPermit<Key>(limits: WorkLimits, refused: (refusal: PermitRefusal) => Error): WithPermit<Key> {
  const permits = createPermits<Key>(limits);
  const refusal = (key: Key) => refused(permits.isAtLimit(key) ? 'share' : 'full');

  return async (key, work) => {
    const mayWait = permits.waiting(key) < limits.maxWaitingPerKey && permits.waiting() < limits.maxWaiting;
    if (!mayWait && permits.refusal(key, 0, 1) !== undefined) throw refusal(key);
    const { ready, release } = permits.acquire(key);
    try {
      if (ready) {
        let timer: NodeJS.Timeout | undefined;
        const tooLate = new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(refusal(key)), limits.maxWaitMs);
        });
        await Promise.race([ready, tooLate]).finally(() => clearTimeout(timer));
      }
      return await work();
    } finally {
      release();
    }
  };
}
