export interface BatchesOptions<Item, Result> {
  /** Writes a batch, and returns one result for each item, in their order. */
  write: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** How long the first item of a batch may wait for others. 0: no longer than the batches before it take. */
  gatherMs: number;
  /** Weight at which a batch is full. */
  maxWeight: number;
  /** The weight of an item in its batch; 1 by default. */
  weigh?: (item: Item) => number;
  /** Batches written at once. */
  concurrency: number;
  /**
   * Whether a batch may have failed because of a single item: then each item is written alone, and the rest succeeds.
   * Never by default. Never by default.
   */
  isOneToBlame?: (error: unknown) => boolean;
  /**
   * When a batch begins while another batch is being written: at this weight, or when the other batch takes longer than
   * `patienceMs`, for example waiting for a lock. Lighter batches wait for more items. Absent: a free slot is enough.
   */
  beside?: { leastWeight: number; patienceMs: number };
}

export interface Batches<Item, Result> {
  /** Resolves with the item's result when the batch is written; rejects when the batch fails. */
  add(item: Item): Promise<Result>;
  /** The weight of all that is waiting or being written. */
  weight(): number;
  /** Writes the waiting items without waiting for more. */
  hurry(): void;
  /** Writes all remaining items at once and waits for them. */
  drain(): Promise<void>;
}

interface Waiting<Item, Result> {
  item: Item;
  weight: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** Gathers single items into batches, in the order of arrival, so many callers share a transaction. */
export function createBatches<Item, Result>(options: BatchesOptions<Item, Result>): Batches<Item, Result> {
  const { write, gatherMs, maxWeight, weigh = () => 1, concurrency, isOneToBlame = () => false, beside } = options;
  let waiting: Waiting<Item, Result>[] = [];
  let waitingWeight = 0;
  let writingWeight = 0;
  let timer: NodeJS.Timeout | null = null;
  /** The first waiting item has waited long enough. */
  let isDue = false;
  const writing = new Set<Promise<void>>();
  /** The number of slow batches. */
  let slow = 0;

  function flush(): void {
    while (waiting.length > 0 && hasSlot() && (isDue || waitingWeight >= maxWeight)) {
      const done: Promise<void> = writeBatch(takeBatch()).finally(() => {
        writing.delete(done);
        flush();
      });
      writing.add(done);
    }
  }

  function hasSlot(): boolean {
    if (writing.size === 0) return true;
    return writing.size < concurrency && (beside === undefined || slow > 0 || waitingWeight >= beside.leastWeight);
  }

  function takeBatch(): Waiting<Item, Result>[] {
    let weight = 0;
    let count = 0;
    for (const next of waiting) {
      if (count > 0 && weight + next.weight > maxWeight) break;
      weight += next.weight;
      count += 1;
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    waitingWeight -= weight;
    writingWeight += weight;
    if (waiting.length === 0) {
      isDue = false;
      if (timer) clearTimeout(timer);
      timer = null;
    }
    return batch;
  }

  function hurry(): void {
    isDue = waiting.length > 0;
    flush();
  }

  async function writeBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    let isSlow = false;
    const patience =
      beside &&
      setTimeout(() => {
        isSlow = true;
        slow += 1;
        flush();
      }, beside.patienceMs);
    try {
      await writeTogether(batch);
    } finally {
      clearTimeout(patience);
      if (isSlow) slow -= 1;
      for (const { weight } of batch) writingWeight -= weight;
    }
  }

  async function writeTogether(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await write(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (batch.length > 1 && isOneToBlame(error)) for (const one of batch) await writeTogether([one]);
      else for (const { reject } of batch) reject(error);
    }
  }

  return {
    add: (item) =>
      new Promise<Result>((resolve, reject) => {
        const weight = weigh(item);
        waiting.push({ item, weight, resolve, reject });
        waitingWeight += weight;
        if (gatherMs === 0) isDue = true;
        else {
          timer ??= setTimeout(() => {
            isDue = true;
            flush();
          }, gatherMs);
        }
        flush();
      }),
    weight: () => waitingWeight + writingWeight,
    hurry,
    async drain() {
      hurry();
      while (writing.size > 0) await Promise.all(writing);
    },
  };
}
