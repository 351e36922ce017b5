import { Problem } from '@callout/domain/problem';
import type { PullOutlook } from '@callout/pipeline/pull/pull-leases';
import { handOut, type HandOutDeps, type HandOutRequest, type PulledCallout } from './hand-out.ts';
import type { PullWaiters, WaitingPlace } from '../../waiting/pull-waiters.ts';

export interface PullDeps extends HandOutDeps {
  readonly waiters: PullWaiters;
  /** The callouts of a webhook to hand out, read together with the callouts of further requests. */
  readonly look: (webhookKey: number) => Promise<PullOutlook | undefined>;
  /** Milliseconds, rising. */
  readonly nowMs: () => number;
}

/** For which webhook, how much, and for how long. */
export interface PullRequest extends Omit<HandOutRequest, 'hasHeld'> {
  readonly waitMs: number;
  /** Aborted when the client disconnects. */
  readonly gone: AbortSignal;
  /** Whether the caller still has the rights: checked before callouts are handed out after a wait. */
  readonly isStillAllowed: () => Promise<boolean>;
}

/** Waiting requests also look periodically: a signal can get lost with Redis. */
const lookMs = 10_000;
/** Where a signal may have been missed. */
const lookWithoutRingsMs = 2_000;
/** The threshold counts by the second, and a due callout cannot be claimed for a moment only. */
const heldLookMs = 1_000;

/**
 * Hands out due callouts, or waits for them: until callouts are due, the time is over, the client disconnects, or the
 * process stops. A waiting request uses no connection to PostgreSQL, and requests that look at a moment share a
 * statement.
 */
export async function pull(deps: PullDeps, request: PullRequest): Promise<PulledCallout[]> {
  const { waiters, nowMs, look } = deps;
  const { webhookKey, waitMs, gone, isStillAllowed } = request;
  const endMs = nowMs() + waitMs;
  const place = waitMs > 0 ? tryEnter(waiters, request) : null;
  let hasWaited = false;
  try {
    for (;;) {
      const mayWait = place !== null && !(place instanceof Problem);
      if (mayWait) place.arm();
      // Asked before and after the look: a signal is lost while the process does not listen.
      const hasListened = mayWait && waiters.isListening();
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
      const hearsAll = hasListened && waiters.isListening();
      const patienceMs = hasDue || hasHeld ? heldLookMs : hearsAll ? lookMs : lookWithoutRingsMs;
      await place.wait(Math.min(leftMs, untilNext(patienceMs, nowMs()), dueInMs ?? patienceMs));
      hasWaited = true;
    }
  } finally {
    if (place !== null && !(place instanceof Problem)) place.leave();
  }
}

const nothing: PullOutlook = { hasDue: false, hasHeld: false, dueInMs: null };

/** All waiting requests look at common moments, and share a statement. */
function untilNext(everyMs: number, nowMs: number): number {
  return everyMs - (nowMs % everyMs);
}

/** A request without a place is refused only without a due callout. */
function tryEnter(waiters: PullWaiters, { tenantId, webhookKey, gone }: PullRequest): WaitingPlace | Problem {
  try {
    return waiters.enter(tenantId, webhookKey, gone);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
