import type { Transaction } from '@callout/database/connection/database';
import { columns, jsonArray, statementFrom } from '@callout/database/connection/statement/statement';
import { newId } from '@callout/database/schema/ids';
import type { NewOccurrence } from './occurrence.rules.ts';

const store = statementFrom('health/occurrences_store');

/**
 * Stores what happened to webhooks, in the transaction in which it happens, where a webhook of their tenants wants to
 * know: neither is an event lost nor made without its cause. `makeHealthEvents` makes the events of them, since the
 * record of an event is locked before the rows that such a transaction has locked.
 */
export async function storeOccurrences(transaction: Transaction, occurrences: readonly NewOccurrence[]): Promise<void> {
  if (occurrences.length === 0) return;
  // Ids rise in the order of the occurrences, also of several within a millisecond.
  const ids = occurrences.map(() => newId()).toSorted();
  const rows = occurrences.map((one, nth) => ({ ...one, id: ids[nth], actorResourceId: one.actorResourceId ?? null }));
  await store(transaction, [
    ...columns(rows, ['id', 'webhookKey', 'occurrence', 'subject', 'actorResourceId']),
    jsonArray(rows.map(({ facts }) => JSON.stringify(facts))),
  ]);
}
