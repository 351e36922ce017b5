import type { NewCallout, WebhookMatch } from './match-events.rules.ts';
import type { Contender, SharedGrants, ThresholdGroup } from '../limits/share-grants.rules.ts';
import { holdCallouts } from '../limits/hold.ts';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import type { Database } from '@callout/database/connection/database';
import type { NewLease, NumberedWebhook, ThresholdsToLock } from './store.ts';
import { newId } from '@callout/database/schema/ids';
import { groupKeyOf } from './load.ts';
import type { Engine } from '../deliver/engine/engine.ts';
import type { MergeableCallout } from './merge/plan-merges.rules.ts';

/** First attempts that the transaction of a match counted for their thresholds. */
export type CountedAttempts = SharedGrants;

export const nothingCounted: Promise<CountedAttempts> = Promise.resolve({ held: [], countedAt: new Map() });

/** The lease of one match. */
export interface MatchLease {
  /**
   * Reserves slots for the callouts of the matches.
   * @returns thresholds that may be used: their windows must be locked before any open callout is.
   */
  reserve(matches: readonly WebhookMatch[]): ThresholdsToLock;
  /**
   * Chooses the new callouts that can be sent at once, within the slots that were reserved.
   * @param carriers those of them into which changes may be merged as long as they are not sent.
   */
  choose(
    callouts: readonly NewCallout[],
    webhooks: ReadonlyMap<number, NumberedWebhook>,
    carriers: readonly MergeableCallout[],
  ): NewLease;
  /** Sends the chosen callouts once the match is committed; those that the threshold did not grant are held instead. */
  send(counted: CountedAttempts): Promise<void>;
  /** Releases unused slots and room, also after an error. */
  end(): void;
}

/** Begins the lease of one transaction. */
export type LeaseAtMatch = () => MatchLease;

export interface LeaseAtMatchDeps {
  pool: Database['pool'];
  engine: Pick<Engine, 'reserve'>;
  leaseMs: number;
  /** First attempts per tenant and entity in any 3,600 s, where the tenant has no threshold of its own; 0: no limit. */
  threshold: number;
  /** A monotonic clock in milliseconds. */
  nowMs: () => number;
  /** Reports how many callouts a threshold holds. */
  onHeld: (callouts: number) => void;
}

/**
 * Lets match store new callouts with a lease of this process, where their lanes have free slots and no backlog:
 * they are sent as soon as the match is committed, without a claim. The others are due, and claimed like all callouts.
 */
export function createLeaseAtMatch({
  pool,
  engine,
  leaseMs,
  threshold,
  nowMs,
  onHeld,
}: LeaseAtMatchDeps): LeaseAtMatch {
  return () => {
    const owner = newId();
    // Measured from before the transaction begins, so never later than by the clock of PostgreSQL.
    const leaseEndsAtMs = nowMs() + leaseMs;
    const reservation = engine.reserve();
    /** Webhooks whose callouts are fetched, so nothing of theirs is sent here. */
    const pulled = new Set<number>();
    /** Webhooks that limit their calls: only a claim may lease their callouts. */
    const limited = new Set<number>();
    let chosen: ClaimedCallout[] = [];
    let waiting: NewCallout[] = [];

    function start(callouts: readonly ClaimedCallout[]): void {
      reservation.send(callouts.map((callout) => ({ ...callout, leaseEndsAtMs })));
    }

    return {
      reserve(matches) {
        const groups = new Map<string, ThresholdGroup>();
        for (const { subscription } of matches) {
          if (subscription.isPulled === true) pulled.add(subscription.webhookKey);
          if (subscription.isLimited === true) limited.add(subscription.webhookKey);
        }
        for (const [webhookKey, { tenantId, entityType, count }] of countByWebhook(matches)) {
          if (pulled.has(webhookKey) || limited.has(webhookKey)) continue;
          const slots = reservation.reserve(webhookKey, tenantId, count);
          if (slots > 0) groups.set(groupKeyOf({ tenantId, entityType }), { tenantId, entityType });
        }
        return { groups: [...groups.values()], installation: threshold };
      },
      choose(callouts, webhooks, carriers) {
        const mergeable = new Map(carriers.map(({ id, version, carried }) => [id, { version, carried }]));
        const due = callouts.filter(({ state, webhookKey }) => {
          return state === 'due' && webhooks.get(webhookKey)?.isPaused === false;
        });
        waiting = callouts.filter(({ state, webhookKey }) => state === 'waiting' && !pulled.has(webhookKey));
        chosen = due.flatMap((callout) => {
          const { webhookKey, body } = callout;
          // A claim reads a body that is not in memory, or has no room.
          if (body === null || !reservation.take(callout)) return [];
          return leasedCallout({ ...callout, body }, webhooks.get(webhookKey)?.version ?? 0, owner);
        });
        const contenders = chosen.flatMap((callout): Contender[] => {
          const webhook = webhooks.get(callout.webhookKey);
          const limit = webhook?.threshold ?? threshold;
          return limit > 0 ? [{ ...callout, limit, mergeable: mergeable.get(callout.id) }] : [];
        });
        return { owner, leaseMs, calloutIds: new Set(chosen.map(({ id }) => id)), contenders };
      },
      async send({ held, countedAt }) {
        reservation.addSuccessors(waiting);
        const heldIds = new Set(held.map(({ id }) => id));
        const granted = chosen.filter(({ id }) => !heldIds.has(id));
        start(granted.map((callout) => ({ ...callout, countedAt: countedAt.get(callout.id) ?? null })));
        if (held.length === 0) return;
        onHeld(held.length);
        await holdCallouts(pool, held);
      },
      end: () => reservation.end(),
    };
  };
}

function countByWebhook(matches: readonly WebhookMatch[]): Map<number, ThresholdGroup & { count: number }> {
  const counts = new Map<number, ThresholdGroup & { count: number }>();
  for (const { event, subscription } of matches) {
    const { tenantId, entityType } = event;
    const count = (counts.get(subscription.webhookKey)?.count ?? 0) + 1;
    counts.set(subscription.webhookKey, { tenantId, entityType, count });
  }
  return counts;
}

/** The callout as a claim would have returned it. */
function leasedCallout(
  callout: NewCallout & { body: string },
  webhookVersion: number,
  leaseOwner: string,
): ClaimedCallout {
  const {
    id,
    tenantId,
    webhookKey,
    entityType,
    recordId,
    sequenceNumber,
    action,
    publicEventId,
    acceptedAt,
    traceParent,
    body,
  } = callout;
  return {
    id,
    tenantId,
    webhookKey,
    webhookVersion,
    entityType,
    recordId,
    sequenceNumber,
    kind: 'event',
    action,
    eventId: publicEventId,
    attemptsMade: 0,
    attemptsBefore: 0,
    isRedelivery: false,
    countedAt: null,
    acceptedAt,
    traceParent,
    leaseOwner,
    isFinal: true,
    body,
  };
}
