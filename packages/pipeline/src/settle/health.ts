import type { HealthChange } from './judge-settlements.rules.ts';
import { byService } from '@callout/domain/changes/actor';
import { recordChanges, type NewChange } from '@callout/database/changes/record-changes';
import type { Transaction } from '@callout/database/connection/database';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';
import type { NewOccurrence } from '../health/occurrence.rules.ts';
import { storeOccurrences } from '../health/occurrences.ts';

const write = statementFrom('settle/health_write');

const forget = statementFrom('settle/health_forget');

const markRecovered = statementFrom('settle/health_mark_recovered');

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
