import { ApiError } from '@callout/client';
import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { consoleHeaders } from './session.ts';

const firstWaitMs = 1_000;
const longestWaitMs = 5_000;
/** A probe without an answer for longer counts as failed. */
const probeTimeoutMs = 5_000;
/** What proxies answer in place of the API, and the API without its database. */
const awayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

let isProbing = false;
let wakeUp: () => void = () => undefined;

/**
 * While the API is away, TanStack Query is offline: queries wait with their data, in place of failing, and are read
 * again when the API is back. An offline browser may still reach an API on the same machine, so only the API itself is
 * asked.
 */
export function watchOutages(): void {
  onlineManager.setEventListener(() => {
    const ask = () => suspectOutage();
    globalThis.addEventListener('online', ask);
    globalThis.addEventListener('offline', ask);
    return () => {
      globalThis.removeEventListener('online', ask);
      globalThis.removeEventListener('offline', ask);
    };
  });
}

/** Whether an error may mean that the API is away, and not only a refusal. */
export const mayBeOutage = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof ApiError && awayStatuses.has(error.status));

/** An answer this recent shows that the API is there. */
const recentMs = 2_000;
/** When the last answer of the API came; the page itself is the first answer. */
let heardAtMs = 0;

/** Notes an answer of the API. */
export function noteAnswer(): void {
  heardAtMs = performance.now();
}

/**
 * Whether the API can be reached, to be asked before `import()`: browsers keep the failure of a module for as long as the
 * page lives.
 */
export async function reachesApi(): Promise<boolean> {
  if (!onlineManager.isOnline()) return false;
  if (performance.now() - heardAtMs < recentMs || (await isThere())) return true;
  suspectOutage();
  return false;
}

/** Probes the API, again and again until the API answers. A call while a probe waits makes the probe at once. */
export function suspectOutage(): void {
  wakeUp();
  if (isProbing) return;
  isProbing = true;
  void probeUntilBack().finally(() => (isProbing = false));
}

async function probeUntilBack(): Promise<void> {
  for (let waitMs = firstWaitMs; !(await isThere()); waitMs = Math.min(longestWaitMs, waitMs * 2)) {
    onlineManager.setOnline(false);
    await new Promise<void>((resolve) => {
      wakeUp = resolve;
      // Jitter: not all viewers ask, and come back, in the same moment.
      setTimeout(resolve, waitMs * (0.5 + Math.random() / 2));
    });
  }
  onlineManager.setOnline(true);
}

async function isThere(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(probeTimeoutMs);
    const { status } = await fetch('/console/session', { headers: consoleHeaders, cache: 'no-store', signal });
    if (awayStatuses.has(status)) return false;
    noteAnswer();
    return true;
  } catch {
    return false;
  }
}

const subscribe = (listener: () => void) => onlineManager.subscribe(listener);

/** Whether the API is away at this moment. */
export const useOutage = (): boolean => useSyncExternalStore(subscribe, () => !onlineManager.isOnline());
