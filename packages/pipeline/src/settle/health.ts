import type { ReceiverHealth } from './breaker.rules.ts';
import type { HealthChange } from './judge-settlements.rules.ts';
import { type Settlement, affectsHealth } from './settlement.rules.ts';
import { byService } from '@callout/domain/changes/actor';
import { recordChanges, type NewChange } from '@callout/database/changes/record-changes';
import type { Transaction } from '@callout/database/connection/database';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';
import type { NewOccurrence } from '../health/occurrence.rules.ts';
import { storeOccurrences } from '../health/occurrences.ts';

const begin = statementFrom('settle/health_begin');

interface HealthRow extends ReceiverHealth {
  webhookKey: number;
  now: Date;
}

const lock = statementFrom<HealthRow>('settle/health_lock');

const write = statementFrom('settle/health_write');

const forget = statementFrom('settle/health_forget');

const markRecovered = statementFrom('settle/health_mark_recovered');

/** The health of webhooks, locked, and the time of the database then; null when none is locked. */
export interface LockedHealth {
  health: Map<number, ReceiverHealth>;
  now: Date | null;
}

/** Locks the health that these results may change. The transaction must hold no lock of an open callout. */
export async function lockHealth(transaction: Transaction, settlements: readonly Settlement[]): Promise<LockedHealth> {
  const speaking = settlements.filter(affectsHealth);
  if (speaking.length === 0) return { health: new Map(), now: null };
  const failing = speaking.filter(({ signal }) => signal !== 'delivered');
  // Every success is looked up, also of a call that began when its receiver was healthy: a success between failures
  // interrupts their row.
  // Sent together, so that statements that the caller sends next come after both.
  const [, rows] = await Promise.all([
    failing.length > 0 && begin(transaction, [keysOf(failing)]),
    lock(transaction, [keysOf(speaking)]),
  ]);
  const health = new Map(rows.map(({ webhookKey, now: _now, ...known }) => [webhookKey, known]));
  return { health, now: rows[0]?.now ?? null };
}

function keysOf(settlements: readonly Settlement[]): number[] {
  return [...new Set(settlements.map(({ callout }) => callout.webhookKey))];
}

const storedColumns = [
  'failedInRow',
  'downInRow',
  'failingSince',
  'lastFailure',
  'pausedUntil',
  'pauses',
  'probeLease',
  'probeAt',
  'refusedNumber',
] as const;

/**
 * Writes the health of receivers, adds begins and ends of pauses to the changes of webhooks and to what
 * `WebhookHealth` reports, and marks recovered receivers for `releaseRecovered`.
 */
export async function writeHealth(transaction: Transaction, changes: readonly HealthChange[]): Promise<void> {
  const well = changes.flatMap(({ webhookKey, health }) => (health === null ? [webhookKey] : []));
  const unwell = changes.flatMap(({ webhookKey, health }) => (health === null ? [] : [{ key: webhookKey, ...health }]));
  if (well.length > 0) await forget(transaction, [well]);
  if (unwell.length > 0) await write(transaction, columns(unwell, ['key', ...storedColumns]));
  const recovered = changes.flatMap(({ webhookKey, isRecovery }) => (isRecovery ? [webhookKey] : []));
  if (recovered.length > 0) await markRecovered(transaction, [recovered]);
  await recordChanges(transaction, changes.flatMap(pausesOf));
  await storeOccurrences(transaction, changes.flatMap(occurrencesOf));
}

function occurrencesOf({ webhookKey, pause, health, isOver }: HealthChange): NewOccurrence[] {
  const about = { webhookKey, subject: 'delivery' } as const;
  if (isOver) return [{ ...about, occurrence: 'recovered', facts: {} }];
  if (pause !== 'paused') return [];
  const { lastFailure = null, failingSince = null, failedInRow = 0 } = health ?? {};
  return [{ ...about, occurrence: 'paused', facts: { reason: lastFailure, since: failingSince, failedInRow } }];
}

function pausesOf({ tenantId, webhookKey, pause, health }: HealthChange): NewChange[] {
  if (pause === null) return [];
  const entry = { tenantId, entity: 'webhook', webhookKey, actor: byService } as const;
  if (pause === 'resumed') return [{ ...entry, action: 'resumed', cause: 'receiverAnswered' }];
  return [{ ...entry, action: 'paused', cause: 'receiverDown', detail: health?.lastFailure ?? null }];
}
