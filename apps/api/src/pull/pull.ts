import { Problem } from '@callout/core/errors';
import type { PullOutlook } from '@callout/db/pull';
import { handOut, type HandOutDeps, type HandOutRequest, type PulledCallout } from './hand-out.ts';
import type { PullWaiters, WaitingPlace } from './pull-waiters.ts';

export interface PullDeps extends HandOutDeps {
  readonly waiters: PullWaiters;
  /** What a webhook has to hand out, asked for together with other requests. */
  readonly look: (webhookKey: number) => Promise<PullOutlook | undefined>;
  /** Milliseconds, rising. */
  readonly nowMs: () => number;
}

/** For which webhook, how much, and for how long. */
export interface PullRequest extends Omit<HandOutRequest, 'hasHeld'> {
  readonly waitMs: number;
  /** Aborted when the client leaves. */
  readonly gone: AbortSignal;
  /** Whether the caller may still do this: asked before something is handed out that was waited for. */
  readonly isStillAllowed: () => Promise<boolean>;
}

/** Those who wait look on their own too: a ring can get lost with Redis. */
const lookMs = 10_000;
/** While no ring is heard. */
const lookWithoutRingsMs = 2_000;
/** The threshold counts by the second; and what is due and cannot be claimed is so for a moment only. */
const heldLookMs = 1_000;

/**
 * Hands out what is due, or waits for it: until something is there, the time is over, the client leaves, or this process
 * stops. While it waits it holds no connection to PostgreSQL, and looks are one statement for all requests of the process
 * that look at the same moment.
 */
export async function pull(deps: PullDeps, request: PullRequest): Promise<PulledCallout[]> {
  const { waiters, nowMs, look } = deps;
  const { webhookKey, waitMs, gone, isStillAllowed } = request;
  const endMs = nowMs() + waitMs;
  const place = waitMs > 0 ? tryEnter(waiters, request) : null;
  let hasWaited = false;
  try {
    for (;;) {
      if (place !== null && !(place instanceof Problem)) place.arm();
      const { hasDue, hasHeld, dueInMs } = (await look(webhookKey)) ?? nothing;
      if (hasDue || hasHeld) {
        if (hasWaited && !(await isStillAllowed())) {
          throw Problem.unauthorized('These credentials are no longer valid: sign in again.');
        }
        const items = await handOut(deps, { ...request, hasHeld }, gone);
        if (items.length > 0) return items;
      }
      const leftMs = endMs - nowMs();
      if (leftMs <= 0 || place === null || gone.aborted || waiters.isStopping()) return [];
      if (place instanceof Problem) throw place;
      const patienceMs = hasDue || hasHeld ? heldLookMs : waiters.isHearing() ? lookMs : lookWithoutRingsMs;
      await place.wait(Math.min(leftMs, untilNext(patienceMs, nowMs()), dueInMs ?? patienceMs));
      hasWaited = true;
    }
  } finally {
    if (place !== null && !(place instanceof Problem)) place.leave();
  }
}

const nothing: PullOutlook = { hasDue: false, hasHeld: false, dueInMs: null };

/** All who wait look at the same moments, so that they share a statement. */
function untilNext(everyMs: number, nowMs: number): number {
  return everyMs - (nowMs % everyMs);
}

/** One that finds no place is told so only when there is nothing for it either. */
function tryEnter(waiters: PullWaiters, { tenantId, webhookKey, gone }: PullRequest): WaitingPlace | Problem {
  try {
    return waiters.enter(tenantId, webhookKey, gone);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
