import { isValueRefused } from '@callout/database/connection/database-away';
import { createBatches } from '@callout/runtime/concurrency/batches';

/**
 * Lets concurrent lookups share a query. Keys that come while a query runs are gathered for the next query. Nothing is
 * cached: a value is never older than the lookup. Under load a process sends a query per round trip, for any number of
 * requests.
 * @param identify returns what makes two keys equal; for keys that are objects.
 */
export function sharedLookup<K, V>(
  load: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
  identify: (key: K) => unknown = (key) => key,
): (key: K) => Promise<V | undefined> {
  const lookups = createBatches<K, V | undefined>({
    async write(keys) {
      const distinct = new Map(keys.map((key) => [identify(key), key]));
      const valuesByKey = await load([...distinct.values()]);
      return keys.map((key) => valuesByKey.get(distinct.get(identify(key)) ?? key));
    },
    gatherMs: 0,
    maxWeight: Infinity,
    concurrency: 1,
    // The rest of a query must not fail because of a single key.
    isOneToBlame: isValueRefused,
  });
  return (key) => lookups.add(key);
}
