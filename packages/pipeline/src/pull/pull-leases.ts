import type { CalloutAction } from '@callout/domain/event';
import type { CalloutKind } from '@callout/domain/callout/callout-states';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import type { Client } from '@callout/database/connection/database';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';
import { lowestIdAt, newId } from '@callout/database/schema/ids';
import type { PullOutcome } from './acknowledgement.rules.ts';

/** A callout that was handed out, with the data for settling it. */
export interface PullLease {
  /** Identifies the lease to the program that fetched. */
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
  /** The number of the attempt: 1 for the first. */
  number: number;
  attemptsBefore: number;
  /** The lease of the open callout. */
  leaseOwner: string;
  handedOutAt: Date;
  /** Null while no acknowledgement has come. */
  outcome: PullOutcome | null;
  /** The clock of the database. */
  now: Date;
  /** The `traceparent` of the request that brought the event; null: not traced, or the callout has ended. */
  traceParent: string | null;
  /** How the webhook signs, for the headers in the log; null: the webhook is gone. */
  signatureKind: string | null;
}

/** A callout that is sent in a response, under a stored lease. */
export interface HandedOut<Claimed = ClaimedCallout> {
  callout: Claimed;
  leaseId: string;
  handedOutAt: Date;
  leaseUntil: Date;
}

const handOut = statementFrom<{ id: string; handedOutAt: Date; leaseUntil: Date }>('pull/pull_hand_out');

/**
 * Stores claimed callouts as handed out. Only then may callouts be sent in a response: when a lease ends, a claimed callout
 * that is not stored may be claimed again, and a stored callout is a failed attempt.
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

/** The leases of a webhook by their ids; unknown ids and ids of further webhooks are left out. */
export function readPullLeases(client: Client, webhookKey: number, ids: readonly string[]): Promise<PullLease[]> {
  return read(client, [ids, webhookKey]);
}

const takeStale = statementFrom<Pick<ClaimedCallout, 'id' | 'leaseOwner'>>('pull/pull_take_stale');

/** Limits for callouts that no program fetches. */
export interface StaleRules {
  keepMs: number;
  /** How long the leases last under which callouts fail. */
  leaseMs: number;
  /** Maximum number of callouts. */
  most: number;
}

/** Leases callouts that fail since no program fetched them for too long. Concurrent processes get different callouts. */
export async function claimStalePulls(client: Client, { keepMs, leaseMs, most }: StaleRules): Promise<PullLease[]> {
  const [clock] = await readClock(client, [keepMs]);
  if (clock === undefined) return [];
  const claimed = await takeStale(client, [lowestIdAt(clock.before), keepMs, newId(), leaseMs, most]);
  const noted = await noteHandedOut(client, claimed);
  return noted.length === 0 ? [] : read(client, [noted.map(({ leaseId }) => leaseId), null]);
}

/** A time in the past by the clock of the database. */
export const readClock = statementFrom<{ before: Date }>('pull/pull_stale_before');

const findLapsed = statementFrom<PullLease>('pull/pull_find_lapsed');

/** Leases that ended without an acknowledgement, up to `limit`. Concurrent processes may find the same leases. */
export function lapsedPullLeases(client: Client, limit: number): Promise<PullLease[]> {
  return findLapsed(client, [limit]);
}

const end = statementFrom('pull/pull_end_leases');

/** Stores the results of leases, for a day. */
export async function endPullLeases(
  client: Client,
  ended: readonly { id: string; outcome: PullOutcome }[],
): Promise<void> {
  if (ended.length > 0) await end(client, columns(ended, ['id', 'outcome']));
}

const countOpen = statementFrom<{ handedOut: number }>('pull/pull_count_open');

/** The number of callouts of a webhook that are handed out and not acknowledged, counted up to `most`. */
export async function countOpenPullLeases(client: Client, webhookKey: number, most: number): Promise<number> {
  const [row] = await countOpen(client, [webhookKey, most]);
  return row?.handedOut ?? 0;
}

/** The callouts that a webhook can hand out, now and later. */
export interface PullOutlook {
  /** Whether a due callout is not handed out. */
  hasDue: boolean;
  /** When the next callout is due, in milliseconds; null without a next callout. */
  dueInMs: number | null;
  /** Whether the threshold holds any. */
  hasHeld: boolean;
}

const readNext = statementFrom<PullOutlook & { webhookKey: number }>('pull/pull_next');

/** The outlook of webhooks by their keys: a cheap statement for all requests that wait. */
export async function nextToPull(client: Client, webhookKeys: readonly number[]): Promise<Map<number, PullOutlook>> {
  const rows = await readNext(client, [webhookKeys]);
  return new Map(rows.map(({ webhookKey, ...outlook }) => [webhookKey, outlook]));
}
