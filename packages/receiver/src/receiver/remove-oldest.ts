/**
 * Removes the entry that was put into a map longest ago, each time it is called. It goes on where it was: a map keeps the
 * places of what was removed for a while, and a search from the beginning would pass thousands of them each time.
 * @param entries not empty when it is called, and changed anew by removing and setting.
 */
export function oldestRemover<Key>(entries: Map<Key, unknown>): () => void {
  let keys: MapIterator<Key> | undefined;
  return () => {
    keys ??= entries.keys();
    const { done, value } = keys.next();
    if (done !== true) entries.delete(value);
  };
}
