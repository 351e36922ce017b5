import type { ThresholdGroup } from './share-grants.rules.ts';
import type { Pool } from 'pg';
import type { Transaction } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { newId } from '@callout/database/schema/ids';
import { withBodies } from '../payload/callout-bodies.ts';
import { storeOccurrences } from '../health/occurrences.ts';
import { storeNotifications } from '../notify/store/notifications.ts';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { lockRates, openRatesOfHeld, takeCalls, withinRates } from '../limits/limited-calls.ts';
import { keepingRoom, type LongBodies } from '../payload/long-bodies.ts';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';

const findEpisodes = statementFrom<ThresholdGroup>('limits/threshold_find_episodes');

interface Episode {
  startedAt: Date;
  now: Date;
  limit: number;
  /** First attempts that the threshold leaves; null: there is no threshold any more. */
  unused: number | null;
}

const lockEpisode = statementFrom<Episode>('limits/threshold_lock_episode');

interface HeldRow {
  id: string;
  webhookKey: number;
  isLimited: boolean;
  bodyBytes: number;
}

const findHeld = statementFrom<HeldRow>('limits/threshold_find_held');

const beginProbes = statementFrom('limits/threshold_begin_probes');

const release = statementFrom<Omit<ClaimedCallout, 'body'>>('limits/threshold_release');

const grantReleased = statementFrom('limits/threshold_grant_released');

const findFirstHeld = statementFrom<{ id: string }>('limits/threshold_find_first_held');

const endEpisode = statementFrom<{ webhookKey: number; held: number }>('limits/threshold_end_episode');

/** Maximum number of held callouts of a group that one round reads. */
const mostLookedAt = 5_000;

export interface ReleaseRules {
  leaseMs: number;
  /** The installation's threshold. */
  threshold: number;
  /** Maximum number of released callouts, shared evenly among tenants and entities. */
  atMost: number;
  /** How many more callouts of a webhook this worker can send now. */
  slotsOf: (webhookKey: number) => number;
  /** Where room is taken for long bodies until these are sent; absent: there is no limit. */
  longBodies?: LongBodies;
}

interface GroupRules extends Omit<ReleaseRules, 'longBodies'> {
  /** Asked for the callouts that may be released, oldest first: callouts without room stay held. */
  hasRoom: (callout: HeldRow) => boolean;
  /** The webhook whose callouts are fetched now; absent to release the callouts that are sent. */
  pulledWebhookKey?: number;
}

/**
 * Leases held callouts for which there is capacity again, the oldest of their tenant and entity first, across
 * webhooks. Callouts of a webhook that has no free slot here, or may not be called yet, are skipped. Ends
 * episodes in which no callout is held any more.
 */
export async function releaseHeldCallouts(pool: Pool, rules: ReleaseRules): Promise<ClaimedCallout[]> {
  const released: ClaimedCallout[] = [];
  const groups = await findEpisodes(pool, []);
  if (groups.length > 0) await openRatesOfHeld(pool);
  for (const [nth, group] of groups.entries()) {
    const atMost = Math.ceil((rules.atMost - released.length) / (groups.length - nth));
    const { longBodies, ...rest } = rules;
    const withRoom: HeldRow[] = [];
    const hasRoom = (callout: HeldRow): boolean => {
      if (longBodies?.take({ ...callout, tenantId: group.tenantId }) === false) return false;
      withRoom.push(callout);
      return true;
    };
    const ofGroup = { ...rest, atMost, hasRoom };
    const releaseOne = () => inTransaction(pool, (transaction) => releaseGroup(transaction, group, ofGroup));
    released.push(...(await keepingRoom(longBodies, withRoom, releaseOne)));
  }
  return released;
}

/** A claim of one webhook whose callouts are fetched. */
export interface PullClaim {
  webhookKey: number;
  /** Maximum number of callouts. */
  most: number;
  /** Maximum size of all bodies in bytes; the first callout is claimed whatever its size. */
  mostBytes: number;
}

/** As `releaseHeldCallouts`, for a program that fetches the callouts of a webhook. */
export async function releasePulledCallouts(
  pool: Pool,
  group: ThresholdGroup,
  { webhookKey, most, mostBytes }: PullClaim,
  { leaseMs, threshold }: Pick<ReleaseRules, 'leaseMs' | 'threshold'>,
): Promise<ClaimedCallout[]> {
  let bytes = 0;
  const hasRoom = ({ bodyBytes }: HeldRow): boolean => {
    bytes += bodyBytes;
    return bytes === bodyBytes || bytes <= mostBytes;
  };
  const rules = { leaseMs, threshold, atMost: most, slotsOf: () => most, pulledWebhookKey: webhookKey, hasRoom };
  return inTransaction(pool, (transaction) => releaseGroup(transaction, group, rules));
}

async function releaseGroup(
  transaction: Transaction,
  { tenantId, entityType }: ThresholdGroup,
  { leaseMs, threshold, atMost, slotsOf, pulledWebhookKey, hasRoom }: GroupRules,
): Promise<ClaimedCallout[]> {
  const group = [tenantId, entityType];
  const [episode] = await lockEpisode(transaction, [...group, threshold]);
  if (episode === undefined) return [];
  // Callouts without a slot here keep a share of the threshold, and the slots of the worker are for further callouts.
  const room = Math.max(0, Math.min(mostLookedAt, episode.unused ?? mostLookedAt));
  const candidates = await findHeld(transaction, [...group, room, atMost, pulledWebhookKey ?? null]);
  const limited = new Set(candidates.flatMap(({ webhookKey, isLimited }) => (isLimited ? [webhookKey] : [])));
  const rates = await lockRates(transaction, [...limited]);
  // A webhook that may make one call in ten seconds must not use up the slots of further webhooks.
  const chosen = withinRates(chooseBySlots(candidates, slotsOf), rates).slice(0, atMost).filter(hasRoom);
  const leased = chosen.length > 0 ? await leaseHeld(transaction, chosen, leaseMs, pulledWebhookKey === undefined) : [];
  const released = await takeCalls(transaction, leased, rates, leaseMs);
  // Most rounds find nothing to do and write nothing.
  if (released.length > 0) await grantReleased(transaction, [...group, released.length]);
  const [stillHeld] = await findFirstHeld(transaction, group);
  if (stillHeld === undefined) await sayCaughtUp(transaction, tenantId, episode, await endEpisode(transaction, group));
  return released.map((callout) => ({ ...callout, countedAt: episode.now }));
}

async function leaseHeld(
  transaction: Transaction,
  chosen: readonly { id: string; webhookKey: number }[],
  leaseMs: number,
  areProbes: boolean,
): Promise<ClaimedCallout[]> {
  const lease = [newId(), leaseMs];
  if (areProbes) await beginProbes(transaction, [[...new Set(chosen.map(({ webhookKey }) => webhookKey))], ...lease]);
  const ids = chosen.map(({ id }) => id);
  return withBodies(transaction, await release(transaction, [ids, ...lease]));
}

function chooseBySlots<Held extends { webhookKey: number }>(
  candidates: readonly Held[],
  slotsOf: (webhookKey: number) => number,
): Held[] {
  const free = new Map<number, number>();
  return candidates.filter(({ webhookKey }) => {
    const slots = free.get(webhookKey) ?? slotsOf(webhookKey);
    free.set(webhookKey, slots - 1);
    return slots > 0;
  });
}

async function sayCaughtUp(
  transaction: Transaction,
  tenantId: number,
  { startedAt, now, limit }: Episode,
  webhooks: readonly { webhookKey: number; held: number }[],
): Promise<void> {
  const occasion = startedAt.toISOString();
  await storeNotifications(
    transaction,
    webhooks.map(({ webhookKey, held }) => ({
      tenantId,
      webhookKey,
      kind: 'caughtUp' as const,
      occasion,
      content: { since: startedAt, until: now, held },
    })),
  );
  await storeOccurrences(
    transaction,
    webhooks.map(({ webhookKey, held }) => ({
      webhookKey,
      occurrence: 'thresholdReleased' as const,
      subject: 'threshold' as const,
      facts: { heldCount: held, thresholdLimit: limit, since: startedAt },
    })),
  );
}
