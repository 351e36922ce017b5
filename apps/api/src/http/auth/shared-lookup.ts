import { isValueRefused } from '@callout/db/connection';

interface Waiting<K, V> {
  /** The key of the first who asked. */
  readonly key: K;
  readonly all: { readonly resolve: (value: V | undefined) => void; readonly reject: (error: unknown) => void }[];
}

/**
 * Lets concurrent lookups share a query. While one query runs, the keys that come in are gathered and asked for together
 * in the next one. Nothing is cached: an answer is never older than its request. Under load a process asks the database
 * once per round trip, however many requests it serves.
 * @param identify what makes two keys one; for keys that are objects.
 */
export function sharedLookup<K, V>(
  load: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
  identify: (key: K) => unknown = (key) => key,
): (key: K) => Promise<V | undefined> {
  let waiting = new Map<unknown, Waiting<K, V>>();
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.size > 0) {
      const batch = [...waiting.values()];
      waiting = new Map();
      try {
        const found = await load(batch.map(({ key }) => key));
        for (const { key, all } of batch) for (const one of all) one.resolve(found.get(key));
      } catch (error) {
        if (batch.length > 1 && isValueRefused(error)) await askEach(batch);
        else for (const { all } of batch) for (const one of all) one.reject(error);
      }
    }
    isRunning = false;
  }

  /** The others of a query must not fail because of one key. */
  async function askEach(batch: readonly Waiting<K, V>[]): Promise<void> {
    for (const { key, all } of batch) {
      try {
        const found = await load([key]);
        for (const one of all) one.resolve(found.get(key));
      } catch (error) {
        for (const one of all) one.reject(error);
      }
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      const identity = identify(key);
      const same = waiting.get(identity);
      if (same === undefined) waiting.set(identity, { key, all: [{ resolve, reject }] });
      else same.all.push({ resolve, reject });
      if (!isRunning) void run();
    });
}
