import { isValueRefused } from '@callout/database/connection/value-refused';

interface Waiting<K, V> {
  /** The key of the first lookup. */
  readonly key: K;
  readonly all: { readonly resolve: (value: V | undefined) => void; readonly reject: (error: unknown) => void }[];
}

/**
 * Lets concurrent lookups share a query. Keys that come while a query runs are gathered for the next one. Nothing is
 * cached: a value is never older than its lookup. Under load a process sends one query per round trip, for any number
 * of requests.
 * @param identify returns what makes two keys equal; for keys that are objects.
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
