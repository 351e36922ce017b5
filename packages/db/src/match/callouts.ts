import type { NewCallout, RecordOfWebhook } from '@callout/core/match';
import type { Sent, Transaction } from '../connection/database.ts';
import { rowSet } from '../connection/row-set.ts';
import { columns, statementFrom } from '../connection/statement.ts';

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

/** Locks webhooks and takes sequence numbers, without a gap: a number belongs to the transaction that makes its callout. */
export async function takeSequenceNumbers(
  transaction: Transaction,
  counts: ReadonlyMap<number, number>,
): Promise<Map<number, NumberedWebhook>> {
  if (counts.size === 0) return new Map();
  const rows = await takeNumbers(transaction, [[...counts.keys()], [...counts.values()]]);
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

/** What `match_store_callouts` stores. */
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
  { column: 'body', documents: 'json', from: 'body' },
]);

const storeCallouts = statementFrom('match/match_store_callouts');

/** Who sends new callouts at once, without claiming them: those named are stored with this lease. */
export interface NewLease {
  owner: string;
  /** From the begin of the transaction. */
  leaseMs: number;
  calloutIds: ReadonlySet<string>;
}

const noNewLease: NewLease = { owner: '', leaseMs: 0, calloutIds: new Set() };

/**
 * Stores callouts, their bodies, and the work of delivering them, in one statement. A body is JSON, and what is stored is
 * its very text.
 */
export function storeNewCallouts(
  transaction: Transaction,
  callouts: readonly NewCallout[],
  lease: NewLease = noNewLease,
): Sent {
  if (callouts.length === 0) return [];
  const rows = callouts.map((callout) => ({
    ...callout,
    leaseOwner: lease.calloutIds.has(callout.id) ? lease.owner : null,
  }));
  return [storeCallouts(transaction, [...calloutSet.valuesOf(rows), lease.leaseMs])];
}
