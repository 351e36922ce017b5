/**
 * Removes the oldest entry of a map, each time the function is called. The search goes on where the last search ended:
 * a map keeps the places of removed entries for a while, and a search from the beginning would pass thousands of places
 * each time.
 * @param entries not empty at the call, and changed anew by removing and setting.
 */
export function oldestRemover<Key>(entries: Map<Key, unknown>): () => void {
  let keys: MapIterator<Key> | undefined;
  return () => {
    keys ??= entries.keys();
    const { done, value } = keys.next();
    if (done !== true) entries.delete(value);
  };
}
