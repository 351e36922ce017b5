import type { ReceiverHealth } from '@callout/core/deliver';
import { type HealthChange, type Settlement, speaksOfHealth } from '@callout/core/settle';
import type { Transaction } from '../connection/database.ts';
import { columns, statementFrom } from '../connection/statement/statement.ts';
import { recordChanges, type HistoryEntry } from '../webhooks/webhook-history.ts';

const begin = statementFrom('settle/health_begin');

interface HealthRow extends ReceiverHealth {
  webhookKey: number;
  now: Date;
}

const lock = statementFrom<HealthRow>('settle/health_lock');

const write = statementFrom('settle/health_write');

const forget = statementFrom('settle/health_forget');

/** The health of webhooks, locked, and the clock of the database then; null: none is locked. */
export interface LockedHealth {
  health: Map<number, ReceiverHealth>;
  now: Date | null;
}

/** Locks the health that these results may change. The transaction must hold no lock of an open callout. */
export async function lockHealth(transaction: Transaction, settlements: readonly Settlement[]): Promise<LockedHealth> {
  const speaking = settlements.filter(speaksOfHealth);
  if (speaking.length === 0) return { health: new Map(), now: null };
  const failing = speaking.filter(({ signal }) => signal !== 'delivered');
  // Every success is looked up, also of a call that began when its receiver was well: failures in a row are not in a row
  // with a success among them.
  // Sent together, so that what the caller sends behind them comes after both.
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
] as const;

/** Writes what became of the health of receivers, and keeps in the history of webhooks where a pause begins or ends. */
export async function writeHealth(transaction: Transaction, changes: readonly HealthChange[]): Promise<void> {
  const well = changes.flatMap(({ webhookKey, health }) => (health === null ? [webhookKey] : []));
  const unwell = changes.flatMap(({ webhookKey, health }) => (health === null ? [] : [{ key: webhookKey, ...health }]));
  if (well.length > 0) await forget(transaction, [well]);
  if (unwell.length > 0) await write(transaction, columns(unwell, ['key', ...storedColumns]));
  await recordChanges(transaction, changes.flatMap(historyOf));
}

function historyOf({ tenantId, webhookKey, pause, health }: HealthChange): HistoryEntry[] {
  if (pause === null) return [];
  const entry = { tenantId, webhookKey, actorResourceId: null };
  if (pause === 'resumed') return [{ ...entry, change: 'resumed', cause: 'receiverAnswered' }];
  return [{ ...entry, change: 'paused', cause: 'receiverDown', detail: health?.lastFailure ?? null }];
}
