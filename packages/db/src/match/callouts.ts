import type { EventVerdicts, NewCallout, RecordOfWebhook } from '@callout/core/match';
import {
  type Contender,
  type Grant,
  type SharedGrants,
  shareGrants,
  type ThresholdGroup,
} from '@callout/core/threshold';
import { askedFor } from '../claim/threshold/threshold.ts';
import type { Transaction } from '../connection/database.ts';
import { rowSet } from '../connection/statement/row-set.ts';
import { columns, statementFrom } from '../connection/statement/statement.ts';

/** A webhook under its row's lock, with the numbers that its new callouts get. */
export interface NumberedWebhook {
  webhookKey: number;
  /** The configuration that is committed now: what was judged with another version must be judged again. */
  version: number;
  /** The first of the numbers taken. */
  firstSequenceNumber: number;
  /** Its receiver is given time to recover: nothing may be sent without asking. */
  isPaused: boolean;
  /** The tenant's own threshold; null: the installation's. */
  threshold: number | null;
}

const takeNumbers = statementFrom<NumberedWebhook>('match/match_take_numbers');

/** Thresholds that the callouts of a match may count for. */
export interface ThresholdsToLock {
  groups: readonly ThresholdGroup[];
  /** First attempts in an hour, where the tenant has no threshold of its own; 0: no limit. */
  installation: number;
}

/**
 * Locks webhooks and takes sequence numbers, without a gap: a number belongs to the transaction that makes its callout.
 * Locks the windows of thresholds too, which come before health and open callouts.
 */
export async function takeSequenceNumbers(
  transaction: Transaction,
  counts: ReadonlyMap<number, number>,
  { groups, installation }: ThresholdsToLock = { groups: [], installation: 0 },
): Promise<Map<number, NumberedWebhook>> {
  if (counts.size === 0) return new Map();
  const thresholds = [...columns(groups, ['tenantId', 'entityType']), installation];
  const rows = await takeNumbers(transaction, [[...counts.keys()], [...counts.values()], ...thresholds]);
  return new Map(rows.map((row) => [row.webhookKey, row]));
}

const lockTails = statementFrom<RecordOfWebhook>('match/match_lock_tails');

/** Of these webhooks and records, those that have an open callout; it stays open until this transaction ends. */
export async function lockOpenTails(
  transaction: Transaction,
  pairs: readonly RecordOfWebhook[],
): Promise<RecordOfWebhook[]> {
  if (pairs.length === 0) return [];
  return lockTails(transaction, columns(pairs, ['webhookKey', 'recordId']));
}

/** The callouts that `match_store` stores. */
export const calloutSet = rowSet<NewCallout & { leaseOwner: string | null }>([
  { column: 'id', type: 'uuid', from: 'id' },
  { column: 'tenant_id', type: 'int', from: 'tenantId' },
  { column: 'webhook_key', type: 'bigint', from: 'webhookKey' },
  { column: 'sequence_number', type: 'bigint', from: 'sequenceNumber' },
  { column: 'event_id', type: 'uuid', from: 'eventId' },
  { column: 'public_event_id', type: 'text', from: 'publicEventId' },
  { column: 'entity_type', type: 'text', from: 'entityType' },
  { column: 'record_id', type: 'bigint', from: 'recordId' },
  { column: 'action', type: 'text', from: 'action' },
  { column: 'state', type: 'text', from: 'state' },
  { column: 'lease_owner', type: 'uuid', from: 'leaseOwner' },
  { column: 'accepted_at', type: 'timestamptz', from: 'acceptedAt' },
  { column: 'trace_parent', type: 'text', from: 'traceParent' },
  { column: 'body', documents: 'json', from: 'body' },
]);

const store = statementFrom<Grant>('match/match_store');

/** Who sends new callouts at once, without claiming them: those named are stored with this lease. */
export interface NewLease {
  owner: string;
  /** From the begin of the transaction. */
  leaseMs: number;
  calloutIds: ReadonlySet<string>;
  /** Those of them that count for a threshold. Its window is locked by `takeSequenceNumbers`. */
  contenders: readonly Contender[];
}

/** Nothing is sent without a claim. */
export const noLease: NewLease = { owner: '', leaseMs: 0, calloutIds: new Set(), contenders: [] };

/** What a match stores. */
export interface Matched {
  /** Of events that the transaction has claimed. */
  verdicts: readonly EventVerdicts[];
  callouts: readonly NewCallout[];
}

/**
 * Stores what a match made, in one statement: events are matched in place of pending, with their verdicts; callouts, their
 * bodies, and the work of delivering them. A body is JSON, and what is stored is its very text.
 * @returns which of the lease's callouts may be sent. `uncounted`: their tenant has had no callout of their entity so far,
 * or its threshold has no room for all of them before what is older than the hour is dropped; they are to be counted by
 * `takeFirstAttempts`.
 */
export async function storeMatched(
  transaction: Transaction,
  { verdicts, callouts }: Matched,
  { owner, leaseMs, calloutIds, contenders }: NewLease = noLease,
): Promise<SharedGrants> {
  const rows = callouts.map((callout) => ({ ...callout, leaseOwner: calloutIds.has(callout.id) ? owner : null }));
  const grants = await store(transaction, [
    ...calloutSet.valuesOf(rows),
    leaseMs,
    ...columns(verdicts, ['eventId', 'tenantId', 'verdictsJson']),
    ...askedFor(contenders),
  ]);
  return shareGrants(contenders, grants);
}
