import { createTenantBudget } from '../http/limits/tenant-budget.ts';

/** Signals which webhooks have callouts to fetch. */
export interface FetchSignals {
  /** Whether signals arrive now. */
  isListening(): boolean;
  close(): void;
}

export interface PullWaitersDeps {
  /** Begins to listen; called once. */
  readonly listen: (onNotice: (webhookKeys: readonly number[]) => void) => FetchSignals;
  /** Requests that wait in the process; a tenant may have as many as stay free for the rest. */
  readonly most: number;
}

/** The place of a waiting request. */
export interface WaitingPlace {
  /** From here on a signal ends the next wait at once: must be called before PostgreSQL is queried. */
  arm(): void;
  /**
   * Resolves when the webhook may have something to fetch, after `atMostMs`, or when waiting makes no sense any more.
   */
  wait(atMostMs: number): Promise<void>;
  leave(): void;
}

export interface PullWaiters {
  /**
   * Acquires a place; signals count from now on.
   * @param gone aborted when the client disconnects.
   * @throws a 429 or 503 Problem when too many wait.
   */
  enter(tenantId: number, webhookKey: number, gone: AbortSignal): WaitingPlace;
  /** Wakes the requests of webhooks with something to fetch now. */
  ring(webhookKeys: readonly number[]): void;
  isListening(): boolean;
  isStopping(): boolean;
  /** Ends every wait, also later ones. */
  stop(): void;
}

interface Waiter {
  hasRung: boolean;
  wake: () => void;
}

/** Requests that wait for callouts to fetch. Each uses a timer and a place, and no connection to PostgreSQL. */
export function createPullWaiters({ listen, most }: PullWaitersDeps): PullWaiters {
  const byWebhook = new Map<number, Set<Waiter>>();
  const places = createTenantBudget(most, {
    unavailable: 'Too many requests wait for callouts: try again later',
    tooManyRequests: 'Too many requests wait for callouts: wait for their answers',
    retryAfterS: 5,
  });
  let isStopping = false;
  let listener: FetchSignals | undefined;

  function wake(waiters: Iterable<Waiter>): void {
    for (const waiter of waiters) {
      waiter.hasRung = true;
      waiter.wake();
    }
  }

  function ring(webhookKeys: readonly number[]): void {
    for (const key of webhookKeys) wake(byWebhook.get(key) ?? []);
  }

  /** Begins to listen with the first waiting request, but not while stopping, when nothing would close the listener. */
  function hearing(): FetchSignals | undefined {
    if (!isStopping) listener ??= listen(ring);
    return listener;
  }

  return {
    enter(tenantId, webhookKey, gone) {
      const place = places.reserve(tenantId);
      place.acquire(1);
      hearing();
      const waiter: Waiter = { hasRung: false, wake: () => undefined };
      const waiters = byWebhook.get(webhookKey) ?? new Set();
      byWebhook.set(webhookKey, waiters.add(waiter));
      return {
        arm() {
          waiter.hasRung = false;
        },
        async wait(atMostMs) {
          if (waiter.hasRung || isStopping || gone.aborted) return;
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, atMostMs);
            waiter.wake = () => {
              clearTimeout(timer);
              resolve();
            };
            gone.addEventListener('abort', waiter.wake, { once: true });
          });
          gone.removeEventListener('abort', waiter.wake);
          waiter.wake = () => undefined;
        },
        leave() {
          place.releaseAll();
          if (waiters.delete(waiter) && waiters.size === 0) byWebhook.delete(webhookKey);
        },
      };
    },
    ring,
    isListening: () => hearing()?.isListening() ?? false,
    isStopping: () => isStopping,
    stop() {
      isStopping = true;
      listener?.close();
      for (const waiters of byWebhook.values()) wake(waiters);
    },
  };
}
