interface Waiting<V> {
  readonly resolve: (value: V | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Lets concurrent lookups share a query. While one query runs, the keys that come in are gathered and asked for together
 * in the next one. Nothing is cached: an answer is never older than its request. Under load a process asks the database
 * once per round trip, however many requests it serves.
 */
export function sharedLookup<K, V>(
  load: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
): (key: K) => Promise<V | undefined> {
  let waiting = new Map<K, Waiting<V>[]>();
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.size > 0) {
      const batch = waiting;
      waiting = new Map();
      try {
        const found = await load([...batch.keys()]);
        for (const [key, all] of batch) for (const one of all) one.resolve(found.get(key));
      } catch (error) {
        for (const all of batch.values()) for (const one of all) one.reject(error);
      }
    }
    isRunning = false;
  }

  return (key) =>
    new Promise((resolve, reject) => {
      const same = waiting.get(key);
      if (same === undefined) waiting.set(key, [{ resolve, reject }]);
      else same.push({ resolve, reject });
      if (!isRunning) void run();
    });
}
