import type { CalloutAction } from '@callout/core/ingest';
import type { CalloutKind } from '@callout/core/settle';
import type { ClaimedCallout } from '../claim/claimed.ts';
import type { Client } from '../connection/database.ts';
import { columns, statement, statementFrom } from '../connection/statement/statement.ts';
import { idNear } from '../log/id-time.ts';
import { lowestIdAt, newId } from '../schema/ids.ts';

/** What became of a callout that was handed out. */
export type PullOutcome = 'acked' | 'nacked' | 'lapsed';

/** A callout that was handed out, as it is settled. */
export interface PullLease {
  /** Names this lease to the program that fetched. */
  id: string;
  calloutId: string;
  tenantId: number;
  webhookKey: number;
  recordId: number;
  sequenceNumber: number;
  kind: CalloutKind;
  action: CalloutAction;
  eventId: string | null;
  isRedelivery: boolean;
  /** The attempt that this is: 1 for the first. */
  number: number;
  attemptsBefore: number;
  /** The lease of the open callout. */
  leaseOwner: string;
  handedOutAt: Date;
  /** Null: it is waited for. */
  outcome: PullOutcome | null;
  /** The clock of the database. */
  now: Date;
  /** The `traceparent` of the request that brought its event; null: it was not traced, or the callout has ended. */
  traceParent: string | null;
}

/** A callout that goes out in an answer, under a lease that is noted. */
export interface HandedOut<Claimed = ClaimedCallout> {
  callout: Claimed;
  leaseId: string;
  handedOutAt: Date;
  leaseUntil: Date;
}

const handOut = statementFrom<{ id: string; handedOutAt: Date; leaseUntil: Date }>('pull/pull_hand_out');

/**
 * Notes claimed callouts as handed out. Only then may they be answered: what was claimed and not noted may be claimed
 * again when its lease ends, and what was noted is a failed attempt then.
 */
export async function noteHandedOut<Claimed extends Pick<ClaimedCallout, 'id' | 'leaseOwner'>>(
  client: Client,
  callouts: readonly Claimed[],
): Promise<HandedOut<Claimed>[]> {
  if (callouts.length === 0) return [];
  const rows = callouts.map((callout) => ({
    leaseId: newId(),
    id: callout.id,
    leaseOwner: callout.leaseOwner,
    callout,
  }));
  const noted = await handOut(client, columns(rows, ['leaseId', 'id', 'leaseOwner']));
  const byId = new Map(noted.map((row) => [row.id, row]));
  return rows.flatMap(({ leaseId, callout }) => {
    const row = byId.get(leaseId);
    return row === undefined ? [] : [{ callout, leaseId, handedOutAt: row.handedOutAt, leaseUntil: row.leaseUntil }];
  });
}

const read = statementFrom<PullLease>('pull/pull_read_leases');

/** The leases of a webhook that have these names; those of other webhooks, and what is no name of any, are left out. */
export function readPullLeases(client: Client, webhookKey: number, ids: readonly string[]): Promise<PullLease[]> {
  return read(client, [ids, webhookKey]);
}

const takeStale = statementFrom<Pick<ClaimedCallout, 'id' | 'leaseOwner'>>('pull/pull_take_stale');

/** What has waited for too long to be fetched. */
export interface StaleRules {
  keepMs: number;
  /** Time to give it up in. */
  leaseMs: number;
  /** Callouts at most. */
  most: number;
}

/** Leases callouts that were not fetched for too long, to be given up. Several processes get different ones. */
export async function claimStalePulls(client: Client, { keepMs, leaseMs, most }: StaleRules): Promise<PullLease[]> {
  const [clock] = await readClock(client, [keepMs]);
  if (clock === undefined) return [];
  const claimed = await takeStale(client, [lowestIdAt(clock.before), keepMs, newId(), leaseMs, most]);
  const noted = await noteHandedOut(client, claimed);
  return noted.length === 0 ? [] : read(client, [noted.map(({ leaseId }) => leaseId), null]);
}

const readClock = statement<{ before: Date }>(
  'pull_stale_before',
  `SELECT now() - $1::double precision * interval '1 millisecond' AS before`,
);

const findLapsed = statementFrom<PullLease>('pull/pull_find_lapsed');

/** Leases that ended without an acknowledgement, at most so many. Several processes may find the same ones. */
export function lapsedPullLeases(client: Client, limit: number): Promise<PullLease[]> {
  return findLapsed(client, [limit]);
}

const end = statementFrom('pull/pull_end_leases');

/** Keeps what became of leases, for a day. */
export async function endPullLeases(
  client: Client,
  ended: readonly { id: string; outcome: PullOutcome }[],
): Promise<void> {
  if (ended.length > 0) await end(client, columns(ended, ['id', 'outcome']));
}

const readScope = statementFrom<{ handedOut: number; firstId: string | null; lastId: string | null }>(
  'pull/pull_read_scope',
);

/** The clocks of the workers that make callouts differ by less, so numbers rise with ids but for this. */
const clockSlackMs = 3_600_000;

/** What a claim of a webhook needs to know. */
export interface PullScope {
  /** Callouts that are handed out and not acknowledged, counted up to a limit. */
  handedOut: number;
  /** Between these ids are its due callouts; null: it has none. */
  ids: readonly [lowest: string, highest: string] | null;
}

/** @param most of the callouts that are handed out, as far as they are counted. */
export async function readPullScope(client: Client, webhookKey: number, most: number): Promise<PullScope> {
  const [row] = await readScope(client, [webhookKey, most]);
  const { handedOut, firstId, lastId } = row ?? nothingDue;
  const isEmpty = firstId === null || lastId === null;
  return { handedOut, ids: isEmpty ? null : [idNear(firstId, -clockSlackMs), idNear(lastId, clockSlackMs)] };
}

const nothingDue = { handedOut: 0, firstId: null, lastId: null };

/** What a webhook has to hand out, now and later. */
export interface PullOutlook {
  /** Whether a callout is due that is not handed out. */
  hasDue: boolean;
  /** When the next one is due, in milliseconds; null: none is. */
  dueInMs: number | null;
  /** Whether the threshold holds any. */
  hasHeld: boolean;
}

const readNext = statementFrom<PullOutlook & { webhookKey: number }>('pull/pull_next');

/** What webhooks have to hand out, by their keys: one cheap statement for all who wait. */
export async function nextToPull(client: Client, webhookKeys: readonly number[]): Promise<Map<number, PullOutlook>> {
  const rows = await readNext(client, [webhookKeys]);
  return new Map(rows.map(({ webhookKey, ...outlook }) => [webhookKey, outlook]));
}
