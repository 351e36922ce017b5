import { Problem } from '@callout/core/errors';
import { handOut, type HandOutDeps, type HandOutRequest, type PulledCallout } from './hand-out.ts';
import type { PullWaiters, WaitingPlace } from './pull-waiters.ts';

export interface PullDeps extends HandOutDeps {
  readonly waiters: PullWaiters;
  /** Milliseconds, rising. */
  readonly nowMs: () => number;
}

/** Those who wait look on their own too: a ring can get lost with Redis. */
const lookMs = 10_000;
/** While no ring is heard. */
const lookWithoutRingsMs = 2_000;

/**
 * Hands out what is due, or waits for it: until something is there, the time is over, the client leaves, or this process
 * stops. While it waits it holds no connection to PostgreSQL.
 */
export async function pull(
  deps: PullDeps,
  request: HandOutRequest,
  waitMs: number,
  gone: AbortSignal,
): Promise<PulledCallout[]> {
  const { waiters, nowMs } = deps;
  const endMs = nowMs() + waitMs;
  const place = waitMs > 0 ? tryEnter(waiters, request, gone) : null;
  try {
    for (;;) {
      if (place !== null && !(place instanceof Problem)) place.arm();
      const { items, nextMs } = await handOut(deps, request, gone);
      const leftMs = endMs - nowMs();
      if (items.length > 0 || leftMs <= 0 || place === null || gone.aborted || waiters.isStopping()) return items;
      if (place instanceof Problem) throw place;
      const patienceMs = waiters.isHearing() ? lookMs : lookWithoutRingsMs;
      await place.wait(Math.min(leftMs, patienceMs, nextMs ?? patienceMs));
    }
  } finally {
    if (place !== null && !(place instanceof Problem)) place.leave();
  }
}

/** One that finds no place is told so only when there is nothing for it either. */
function tryEnter(
  waiters: PullWaiters,
  { tenantId, webhookKey }: HandOutRequest,
  gone: AbortSignal,
): WaitingPlace | Problem {
  try {
    return waiters.enter(tenantId, webhookKey, gone);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
