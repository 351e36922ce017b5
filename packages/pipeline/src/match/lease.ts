import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import type { Contender } from '../limits/share-grants.rules.ts';
import type { BodyToTake } from '../payload/long-bodies.ts';
import type { NewCallout, WebhookMatch } from './match-events.rules.ts';
import type { MergePlan } from './merge/plan-merges.rules.ts';
import { type NewLease, noLease, type NumberedWebhook, type ThresholdsToLock } from './store.ts';

/** Slots of this process for the callouts of a match, which are stored with one lease. */
export interface LeaseOffer {
  readonly owner: string;
  /** From the start of the transaction. */
  readonly leaseMs: number;
  /** Thresholds that leased callouts count for. */
  readonly thresholds: ThresholdsToLock;
  /** Takes a slot, and room for the body. @returns false without slot or room: a claim is to lease the callout. */
  readonly take: (callout: BodyToTake) => boolean;
}

/** Offers slots for the callouts of matches; null: every callout is left to a claim. */
export type OfferLease = (matches: readonly WebhookMatch[]) => LeaseOffer | null;

/**
 * Chooses the new callouts that are stored with a lease: due ones with a slot, whose receiver is not paused.
 * @param heldKeys webhooks whose callouts a threshold holds: changes are merged into their new callouts until these are
 * released, so none of these is sent at once.
 */
export function chooseLeased(
  { callouts, carriers }: Pick<MergePlan, 'callouts' | 'carriers'>,
  webhooks: ReadonlyMap<number, NumberedWebhook>,
  heldKeys: ReadonlySet<number>,
  offer: LeaseOffer | null,
): NewLease {
  if (offer === null) return noLease;
  const { owner, leaseMs, thresholds, take } = offer;
  const mergeable = new Map(carriers.map(({ id, version, carried }) => [id, { version, carried }]));
  const leased = new Map<string, ClaimedCallout>();
  const contenders: Contender[] = [];
  for (const callout of callouts) {
    const { id, webhookKey, body } = callout;
    const webhook = webhooks.get(webhookKey);
    if (callout.state !== 'due' || webhook?.isPaused !== false || heldKeys.has(webhookKey)) continue;
    // A claim reads a body that is not in memory, or has no room.
    if (body === null || !take(callout)) continue;
    const claimed = claimedFrom({ ...callout, body }, webhook.version, owner);
    leased.set(id, claimed);
    const limit = webhook.threshold ?? thresholds.installation;
    if (limit > 0) contenders.push({ ...claimed, limit, mergeable: mergeable.get(id) });
  }
  return { owner, leaseMs, callouts: leased, contenders };
}

/** The callout as a claim would return it. */
function claimedFrom(
  callout: NewCallout & { body: string },
  webhookVersion: number,
  leaseOwner: string,
): ClaimedCallout {
  const { id, tenantId, webhookKey, entityType, recordId, sequenceNumber } = callout;
  const { action, publicEventId, acceptedAt, traceParent, body } = callout;
  return {
    ...{ id, tenantId, webhookKey, webhookVersion, entityType, recordId, sequenceNumber },
    ...{ kind: 'event', action, eventId: publicEventId, acceptedAt, traceParent, leaseOwner },
    ...{ attemptsMade: 0, attemptsBefore: 0, isRedelivery: false, countedAt: null },
    ...{ isFinal: true, body },
  };
}
