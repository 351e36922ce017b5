import { oldestRemover } from './remove-oldest.ts';

/** The state of a callout that arrives: `new`, `running` in another request, or `done`, for a repeat. */
export type RepeatState = 'new' | 'running' | 'done';

/**
 * Remembers callouts by `webhook-id`, so each is handled once. Callout sends at least once: a callout whose answer was
 * lost comes again. Several processes must share one store.
 */
export interface RepeatStore {
  /**
   * Notes in one step that the callout is being handled, and returns the state before. A callout that was begun and
   * neither done nor forgotten, since the process died, has to be new again after some minutes.
   */
  begin(id: string): RepeatState | Promise<RepeatState>;
  /**
   * It was handled. Remember the callout for as long as repeats may come: 3 days cover the default schedule of
   * attempts.
   */
  done(id: string): void | Promise<void>;
  /** Handling failed: the next attempt is to be handled. */
  forget(id: string): void | Promise<void>;
}

export interface MemoryRepeatStoreOptions {
  /** The oldest go first. Default 100,000, some 20 MB. */
  readonly maxEntries?: number | undefined;
  /** Default 3 days, in seconds. */
  readonly keepSeconds?: number | undefined;
  /** The present time in milliseconds; for tests. */
  readonly now?: (() => number) | undefined;
}

/** A {@link RepeatStore} for a receiver with a single process: forgets everything when the process ends. */
export function createMemoryRepeatStore(options: MemoryRepeatStoreOptions = {}): RepeatStore {
  const { maxEntries = 100_000, keepSeconds = 3 * 24 * 3600, now = Date.now } = options;
  /** Oldest first, since an entry is put in anew when it changes. */
  const entries = new Map<string, { state: 'running' | 'done'; at: number }>();
  const removeOldest = oldestRemover(entries);

  function put(id: string, state: 'running' | 'done'): void {
    entries.delete(id);
    entries.set(id, { state, at: now() });
    if (entries.size > maxEntries) removeOldest();
  }

  return {
    begin(id) {
      const entry = entries.get(id);
      if (entry !== undefined && now() - entry.at <= keepSeconds * 1000) return entry.state;
      put(id, 'running');
      return 'new';
    },
    done: (id) => put(id, 'done'),
    forget(id) {
      entries.delete(id);
    },
  };
}
