// The fast way of match: a process that also delivers stores new callouts with a lease of its own, where their lanes have
// free slots and no backlog, and sends them after the commit. So nobody writes and reads the key of the webhook in Redis,
// and nobody claims the callout. Without this way, API, worker and PostgreSQL together use 1.20 times the CPU for 200
// single events a second (alternating runs). `match.fast.test.ts` matches random histories in both ways, lets a claim lease
// what is due, and compares the stored rows.
import type { Database } from '@callout/database/connection/database';
import { newId } from '@callout/database/schema/ids';
import type { Engine } from '../deliver/engine/engine.ts';
import type { Reservation } from '../deliver/engine/reservation.ts';
import { holdCallouts } from '../limits/hold.ts';
import type { ThresholdGroup } from '../limits/share-grants.rules.ts';
import { groupKeyOf } from './load.ts';
import { countByWebhook, type WebhookMatch } from './match-events.rules.ts';
import { matchInTransaction, type MatchTogether } from './match.ts';

export interface FastMatchDeps {
  readonly pool: Database['pool'];
  readonly engine: Pick<Engine, 'reserve'>;
  readonly leaseMs: number;
  /** First attempts per tenant and entity in any 3,600 s, where the tenant has no threshold of its own; 0: no limit. */
  readonly threshold: number;
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
  /** Reports how many callouts a threshold holds. */
  readonly onHeld: (callouts: number) => void;
}

/** Matches events, and sends their callouts where this process has slots; the other callouts are left to a claim. */
export function createFastMatch({ pool, engine, leaseMs, threshold, nowMs, onHeld }: FastMatchDeps): MatchTogether {
  return async function matchAndSend(deps, eventIds) {
    const owner = newId();
    // Measured from before the transaction begins, so never later than by the clock of PostgreSQL.
    const leaseEndsAtMs = nowMs() + leaseMs;
    const reservation = engine.reserve();
    try {
      const { result, leased, waiting, grants } = await matchInTransaction(deps, eventIds, (matches) => ({
        owner,
        leaseMs,
        take: (callout) => reservation.take(callout),
        thresholds: { groups: reserveSlots(reservation, matches), installation: threshold },
      }));
      reservation.addSuccessors(waiting);
      const heldIds = new Set(grants.held.map(({ id }) => id));
      const granted = leased.filter(({ id }) => !heldIds.has(id));
      reservation.send(
        granted.map((callout) => ({
          ...callout,
          countedAt: grants.countedAt.get(callout.id) ?? null,
          leaseEndsAtMs,
        })),
      );
      if (heldIds.size > 0) {
        onHeld(heldIds.size);
        await holdCallouts(pool, grants.held);
      }
      return result;
    } finally {
      reservation.end();
    }
  };
}

/** Reserves slots for the callouts of matches. @returns the tenants and entities that have slots. */
function reserveSlots(reservation: Reservation, matches: readonly WebhookMatch[]): ThresholdGroup[] {
  const counts = countByWebhook(matches);
  const groups = new Map<string, ThresholdGroup>();
  for (const { event, subscription } of matches) {
    const { webhookKey, isPulled, isLimited } = subscription;
    const count = counts.get(webhookKey);
    counts.delete(webhookKey);
    // A program fetches the callouts of a pulled webhook; a limited webhook lets only a claim lease its callouts.
    if (count === undefined || isPulled === true || isLimited === true) continue;
    const { tenantId, entityType } = event;
    const slots = reservation.reserve(webhookKey, tenantId, count);
    if (slots > 0) groups.set(groupKeyOf(event), { tenantId, entityType });
  }
  return [...groups.values()];
}
