import type { EventVerdicts, NewCallout } from './match-events.rules.ts';
import type { ClaimedCallout, RecordOfWebhook } from '@callout/domain/callout/claimed';
import {
  type Contender,
  type Grant,
  type SharedGrants,
  attemptsOf,
  shareGrants,
  type ThresholdGroup,
} from '../limits/share-grants.rules.ts';
import type { Transaction } from '@callout/database/connection/database';
import { rowSet } from '@callout/database/connection/statement/row-set';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';

/** A webhook whose row is locked, with the numbers for new callouts. */
export interface NumberedWebhook {
  webhookKey: number;
  /** The committed version of the configuration: events judged with another version must be judged again. */
  version: number;
  /** The first of the reserved numbers. */
  firstSequenceNumber: number;
  /** The receiver is paused: nothing may be sent without a probe. */
  isPaused: boolean;
  /** The tenant's own threshold; null: the installation's. */
  threshold: number | null;
}

const reserveNumbers = statementFrom<NumberedWebhook>('match/match_take_numbers');

/** Thresholds that the callouts of a match may count for. */
export interface ThresholdsToLock {
  groups: readonly ThresholdGroup[];
  /** First attempts in an hour, where the tenant has no threshold of its own; 0: no limit. */
  installation: number;
}

/**
 * Locks webhooks and reserves sequence numbers without a gap: a number belongs to the transaction that makes the
 * callout. Also locks the windows of thresholds, which come before health and open callouts.
 */
export async function reserveSequenceNumbers(
  transaction: Transaction,
  counts: ReadonlyMap<number, number>,
  { groups, installation }: ThresholdsToLock = { groups: [], installation: 0 },
): Promise<Map<number, NumberedWebhook>> {
  if (counts.size === 0) return new Map();
  const thresholds = [...columns(groups, ['tenantId', 'entityType']), installation];
  const rows = await reserveNumbers(transaction, [[...counts.keys()], [...counts.values()], ...thresholds]);
  return new Map(rows.map((row) => [row.webhookKey, row]));
}

const lockTails = statementFrom<RecordOfWebhook>('match/match_lock_tails');

/**
 * The given webhooks and records that have an open callout, which is locked and stays open until the transaction ends.
 */
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
  { column: 'body_bytes', type: 'int', from: 'bodyBytes' },
  { column: 'layout_id', type: 'bigint', from: ({ layout }) => layout?.id ?? null },
  { column: 'body', type: 'text', from: ({ body, layout }) => (layout === null ? body : null) },
]);

const store = statementFrom<Grant>('match/match_store');

/** New callouts that are stored with a lease. */
export interface NewLease {
  readonly owner: string;
  /** From the start of the transaction. */
  readonly leaseMs: number;
  /** The leased callouts by their ids, as a claim would return them. */
  readonly callouts: ReadonlyMap<string, ClaimedCallout>;
  /** Leased callouts that count for a threshold, whose window is locked by `reserveSequenceNumbers`. */
  readonly contenders: readonly Contender[];
}

/** Every callout is left to a claim. */
export const noLease: NewLease = { owner: '', leaseMs: 0, callouts: new Map(), contenders: [] };

/** The results of a match, to be stored. */
export interface Matched {
  /** Of events that the transaction has claimed. */
  verdicts: readonly EventVerdicts[];
  callouts: readonly NewCallout[];
  /** Layouts that may not be stored yet. */
  layouts: readonly NewLayout[];
}

/** A layout of a webhook. */
export interface NewLayout {
  webhookKey: number;
  tenantId: number;
  id: string;
  json: string;
}

export function keyOfLayout({ webhookKey, id }: NewLayout): string {
  return `${webhookKey}/${id}`;
}

/** The layouts of callouts, each once. */
export function layoutsOf(callouts: readonly NewCallout[]): NewLayout[] {
  const layouts = new Map<string, NewLayout>();
  for (const { webhookKey, tenantId, layout } of callouts) {
    if (layout === null) continue;
    const one = { webhookKey, tenantId, id: layout.id, json: layout.json };
    layouts.set(keyOfLayout(one), one);
  }
  return [...layouts.values()];
}

/**
 * Stores the results of a match in one statement: verdicts, for events that are no longer pending; callouts,
 * layouts, and the work of delivering.
 * @returns which of the leased callouts may be sent.
 */
export async function storeMatched(
  transaction: Transaction,
  { verdicts, callouts, layouts }: Matched,
  { owner, leaseMs, callouts: leased, contenders }: NewLease = noLease,
): Promise<SharedGrants> {
  const rows = callouts.map((callout) => ({ ...callout, leaseOwner: leased.has(callout.id) ? owner : null }));
  const grants = await store(transaction, [
    ...calloutSet.valuesOf(rows),
    leaseMs,
    ...columns(verdicts, ['eventId', 'tenantId', 'verdictsJson']),
    ...columns(attemptsOf(contenders), ['tenantId', 'entityType', 'requested', 'limit']),
    ...columns(layouts, ['webhookKey', 'id', 'tenantId', 'json']),
  ]);
  return shareGrants(contenders, grants);
}
