import { headersOfAttempt } from '@callout/core/deliver';
import { Problem } from '@callout/core/errors';
import type { KeyRing } from '@callout/core/secrets';
import { type ClaimedCallout, openTarget, readTargets, rescheduleCallout } from '@callout/db/claim';
import type { Database } from '@callout/db/connection';
import {
  claimPulledCallouts,
  countPullLeases,
  type HandedOut,
  nextToPull,
  noteHandedOut,
  releasePulledCallouts,
} from '@callout/db/pull';
import type { Logger } from '@callout/runtime/log';

export interface HandOutDeps {
  readonly pool: Database['pool'];
  readonly keyRing: KeyRing;
  readonly userAgent: string;
  /** First attempts per tenant and entity in any 3,600 s, where the tenant has none of its own; 0: no limit. */
  readonly threshold: number;
  readonly log: Logger;
}

/** For which webhook, and how much. */
export interface HandOutRequest {
  readonly tenantId: number;
  readonly entityType: string;
  readonly webhookKey: number;
  readonly max: number;
  readonly leaseMs: number;
}

/** A callout as it would have been sent, and the lease that it is handed out with. */
export interface PulledCallout {
  readonly ackID: string;
  readonly calloutID: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly leaseUntilDateTime: string;
}

export interface HandedOutNow {
  readonly items: PulledCallout[];
  /** When there may be something that is not there now, in milliseconds; null: that is not known. */
  readonly nextMs: number | null;
}

/** Bytes of bodies in one answer. */
const mostBytes = 4 * 1024 * 1024;
/** Callouts of one webhook that are handed out and of which nothing was heard. */
const mostOpen = 5_000;
/** The threshold counts by the second. */
const heldLookMs = 1_000;
const RETRY_AFTER_S = 30;

/**
 * Hands out the callouts of a webhook that are due: claim, sign, note. They are settled by a word about them, or by a
 * worker when their lease ends.
 * @param gone aborted when the client has disconnected: then nothing is handed out.
 */
export async function handOut(
  deps: HandOutDeps,
  request: HandOutRequest,
  gone: Pick<AbortSignal, 'aborted'>,
): Promise<HandedOutNow> {
  const { pool, threshold } = deps;
  const { tenantId, entityType, webhookKey, max, leaseMs } = request;
  const most = Math.min(max, mostOpen - (await countPullLeases(pool, webhookKey, mostOpen)));
  if (most <= 0) return { items: [], nextMs: null };
  let claimed = await claimPulledCallouts(pool, { webhookKey, most, mostBytes }, { leaseMs, threshold });
  let nextMs: number | null = null;
  if (claimed.length === 0) {
    const { dueInMs, hasHeld } = await nextToPull(pool, webhookKey);
    nextMs = hasHeld ? Math.min(dueInMs ?? heldLookMs, heldLookMs) : dueInMs;
    if (!hasHeld) return { items: [], nextMs };
    const rules = { leaseMs, threshold, atMost: most };
    claimed = await withinBytes(deps, await releasePulledCallouts(pool, { tenantId, entityType }, webhookKey, rules));
  }
  if (claimed.length === 0) return { items: [], nextMs };
  if (gone.aborted) {
    await giveBack(deps, claimed);
    return { items: [], nextMs };
  }
  const keysAt = await openKeys(deps, webhookKey, claimed);
  const noted = await noteHandedOut(pool, claimed);
  return { items: noted.map((one) => itemOf(deps, one, keysAt(one.handedOutAt))), nextMs };
}

function itemOf(
  { userAgent }: HandOutDeps,
  { callout, leaseId, handedOutAt, leaseUntil }: HandedOut,
  secretKeys: Parameters<typeof headersOfAttempt>[1]['secretKeys'],
): PulledCallout {
  const body = Buffer.from(callout.body, 'utf8');
  const number = callout.attemptsMade + 1;
  return {
    ackID: leaseId,
    calloutID: callout.id,
    headers: headersOfAttempt(callout, { secretKeys, number, body, now: handedOutAt, userAgent }),
    body: callout.body,
    leaseUntilDateTime: leaseUntil.toISOString(),
  };
}

/** The keys that sign at a moment. What cannot be signed is given back. */
async function openKeys(deps: HandOutDeps, webhookKey: number, claimed: readonly ClaimedCallout[]) {
  try {
    const [stored] = await readTargets(deps.pool, [webhookKey]);
    if (stored === undefined) throw new Error(`webhook ${webhookKey} has no target`);
    const { current, overlap } = openTarget(stored, deps.keyRing);
    return (at: Date) => (overlap !== null && at.getTime() < overlap.untilMs ? overlap.keys : current);
  } catch (err) {
    deps.log.error({ err, webhookKey }, 'callouts not handed out: the secret of their webhook could not be read');
    await giveBack(deps, claimed);
    throw Problem.unavailable('The callouts cannot be signed now: try again later', RETRY_AFTER_S, err);
  }
}

/** As many as fit into an answer, the first in any case; the others are given back. */
async function withinBytes(deps: HandOutDeps, claimed: readonly ClaimedCallout[]): Promise<ClaimedCallout[]> {
  let bytes = 0;
  const fits = claimed.map(({ body }, at) => {
    bytes += Buffer.byteLength(body);
    return at === 0 || bytes <= mostBytes;
  });
  await giveBack(
    deps,
    claimed.filter((_, at) => fits[at] !== true),
  );
  return claimed.filter((_, at) => fits[at] === true);
}

async function giveBack({ pool }: HandOutDeps, callouts: readonly ClaimedCallout[]): Promise<void> {
  for (const callout of callouts) await rescheduleCallout(pool, callout, 0);
}
