import { useSyncExternalStore } from 'react';
import { operate, type ReencryptedBatch } from '../../api/operator.ts';
import { queryClient } from '../../api/query-client.ts';
import { keysQuery } from './operator-queries.ts';

/** How far re-encryption has come. */
export interface Progress {
  readonly reencrypted: number;
  readonly unreadable: ReencryptedBatch['unreadable'];
}

/** How re-encryption fares in the tab, whichever page is shown. */
export interface ReencryptRun {
  readonly state: 'idle' | 'running' | 'done' | 'stopped';
  /** How many secrets older keys protected when the run began. */
  readonly total: number;
  readonly progress: Progress;
  /** Why the run stopped. */
  readonly error: unknown;
}

const nothing: Progress = { reencrypted: 0, unreadable: [] };
const listeners = new Set<() => void>();
let run: ReencryptRun = { state: 'idle', total: 0, progress: nothing, error: null };

function set(change: Partial<ReencryptRun>): void {
  run = { ...run, ...change };
  for (const listener of listeners) listener();
}

/** The browser asks before closing the tab: the requests end with the tab. */
const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

/**
 * Encrypts all secrets with the current key, a batch for each request, from the tab. Finished batches stay: another run
 * goes on with the remaining secrets.
 * @param total the number of remaining secrets.
 */
export async function beginReencryption(total: number): Promise<void> {
  if (run.state === 'running') return;
  set({ state: 'running', total, progress: nothing, error: null });
  globalThis.addEventListener('beforeunload', warn);
  try {
    for (let after: number | null = 0; after !== null;) {
      const batch: ReencryptedBatch = await operate('reencryptSecrets', { after });
      const { reencrypted, unreadable } = run.progress;
      set({
        progress: {
          reencrypted: reencrypted + batch.reencrypted,
          unreadable: [...unreadable, ...batch.unreadable],
        },
      });
      after = batch.nextAfter;
    }
    set({ state: 'done' });
  } catch (error) {
    set({ state: 'stopped', error });
  } finally {
    globalThis.removeEventListener('beforeunload', warn);
    await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The run of the tab. */
export const useReencryption = (): ReencryptRun => useSyncExternalStore(subscribe, () => run);
