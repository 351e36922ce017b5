import { headersOfAttempt } from '@callout/pipeline/deliver/sign.rules';
import { Problem } from '@callout/domain/problem';
import type { KeyRing } from '@callout/domain/secrets/keyring';
import { type ClaimedCallout, mayHaveChanged } from '@callout/domain/callout/claimed';
import { rescheduleCallout, claimPulledCallouts } from '@callout/pipeline/deliver/claim';
import { keysAt, openTarget, readTarget } from '@callout/pipeline/deliver/targets';
import type { Database } from '@callout/database/connection/database';
import { fixBodies } from '@callout/pipeline/payload/callout-bodies';
import { releasePulledCallouts } from '@callout/pipeline/limits/release-held';
import { countOpenPullLeases, type HandedOut, noteHandedOut } from '@callout/pipeline/pull/pull-leases';
import type { Logger } from '@callout/runtime/log/logger';
import type { Tracing } from '@callout/runtime/tracing';
import type { ClaimTurns } from './claim-turns.ts';

export interface HandOutDeps {
  readonly pool: Database['pool'];
  readonly keyRing: KeyRing;
  readonly userAgent: string;
  /** First attempts per tenant and entity in any 3,600 s, where the tenant has no special limit; 0: no limit. */
  readonly threshold: number;
  /** Records the hand-out in the trace of the event; absent: nothing is traced. */
  readonly tracing?: Pick<Tracing, 'batch'> | undefined;
  readonly log: Logger;
  readonly turns: ClaimTurns;
  /** Throws a 429 or 503 Problem when too many responses to the tenant, or to all, wait to be read. */
  readonly admit: (tenantId: number) => void;
}

/** For which webhook, and how much. */
export interface HandOutRequest {
  readonly tenantId: number;
  readonly entityType: string;
  readonly webhookKey: number;
  readonly max: number;
  readonly leaseMs: number;
  /** Whether the threshold holds callouts of the webhook. */
  readonly hasHeld: boolean;
}

/** A callout in the form of a sent request, and the lease. */
export interface PulledCallout {
  readonly ackID: string;
  readonly calloutID: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly leaseUntilDateTime: string;
}

/** Bytes of bodies in a response. */
const mostBytes = 4 * 1024 * 1024;
/** Callouts of a webhook, handed out and not yet acknowledged. */
const mostOpen = 5_000;
const RETRY_AFTER_S = 30;

/**
 * Hands out the due callouts of a webhook: claim, sign, note. An acknowledgement settles a callout, or a worker when
 * the lease ends.
 * @param gone aborted when the client has disconnected: nothing is handed out then.
 */
export async function handOut(
  deps: HandOutDeps,
  request: HandOutRequest,
  gone: Pick<AbortSignal, 'aborted'>,
): Promise<PulledCallout[]> {
  const { pool, turns } = deps;
  const { webhookKey } = request;
  const startMs = Date.now();
  const claimed = await turns.claim(webhookKey, async () => (gone.aborted ? [] : claim(deps, request)));
  if (claimed.length === 0) return [];
  if (gone.aborted) {
    await giveBack(deps, claimed);
    return [];
  }
  const target = await openTargetOf(deps, webhookKey, claimed);
  const noted = await noteHandedOut(pool, await withFinalBodies(deps, claimed, target));
  const parents = noted.map(({ callout: { traceParent } }) => traceParent);
  deps.tracing?.batch({ name: 'hand out', parents, startMs, endMs: Date.now(), statements: [] });
  return noted.map((one) => itemOf(deps, one, keysAt(target.keys, one.handedOutAt.getTime())));
}

/** The due callouts, else as many held ones as the threshold allows. */
async function claim(deps: HandOutDeps, request: HandOutRequest): Promise<ClaimedCallout[]> {
  const { pool, threshold } = deps;
  const { tenantId, entityType, webhookKey, max, leaseMs, hasHeld } = request;
  // Each of hundreds of waiting requests may get megabytes at a single moment.
  deps.admit(tenantId);
  const most = Math.min(max, mostOpen - (await countOpenPullLeases(pool, webhookKey, mostOpen)));
  if (most <= 0) return [];
  const wanted = { webhookKey, most, mostBytes };
  const due = await claimPulledCallouts(pool, wanted, { leaseMs, threshold });
  if (due.length > 0 || !hasHeld) return due;
  return releasePulledCallouts(pool, { tenantId, entityType }, wanted, { leaseMs, threshold });
}

function itemOf(
  { userAgent }: HandOutDeps,
  { callout, leaseId, handedOutAt, leaseUntil }: HandedOut,
  signingKeys: Parameters<typeof headersOfAttempt>[1]['signingKeys'],
): PulledCallout {
  const body = Buffer.from(callout.body, 'utf8');
  const attemptNumber = callout.attemptsMade + 1;
  return {
    ackID: leaseId,
    calloutID: callout.id,
    headers: headersOfAttempt(callout, { signingKeys, attemptNumber, body, now: handedOutAt, userAgent }),
    body: callout.body,
    leaseUntilDateTime: leaseUntil.toISOString(),
  };
}

/** The target of a webhook, with the keys for signing. Callouts without a usable key are released. */
async function openTargetOf(deps: HandOutDeps, webhookKey: number, claimed: readonly ClaimedCallout[]) {
  try {
    const stored = await readTarget(deps.pool, webhookKey);
    if (stored === null) throw new Error(`webhook ${webhookKey} has no target`);
    return { ...stored, keys: openTarget(stored, deps.keyRing) };
  } catch (err) {
    deps.log.error({ err, webhookKey }, 'callouts not handed out: the secret of their webhook could not be read');
    await giveBack(deps, claimed);
    throw Problem.unavailable('The callouts cannot be signed now: try again later', RETRY_AFTER_S, err);
  }
}

/** Callouts to be handed out for the first time change no more. Callouts that have ended meanwhile are left out. */
async function withFinalBodies(
  deps: HandOutDeps,
  claimed: readonly ClaimedCallout[],
  target: Parameters<typeof mayHaveChanged>[1],
): Promise<ClaimedCallout[]> {
  const changeable = claimed.filter((callout) => mayHaveChanged(callout, target));
  if (changeable.length === 0) return [...claimed];
  const fixed = await fixBodies(deps.pool, changeable);
  const byId = new Map(changeable.map(({ id }, nth) => [id, fixed[nth] ?? null]));
  await giveBack(
    deps,
    changeable.filter(({ id }) => byId.get(id) === null),
  );
  return claimed.flatMap((callout) => {
    const final = byId.get(callout.id);
    return final === undefined ? callout : (final ?? []);
  });
}

async function giveBack({ pool }: HandOutDeps, callouts: readonly ClaimedCallout[]): Promise<void> {
  for (const callout of callouts) await rescheduleCallout(pool, callout, 0);
}
