import type { Transaction } from './connection/database.ts';
import { statementFrom } from './connection/statement/statement.ts';

/** The number of ids of each collection that one transaction needs. */
export type IdNeeds = Readonly<Record<string, number>>;

// Not a model: several counters are locked in one order, and a missing one is created.
const take = statementFrom<{ collection: string; nextId: number }>('database:counters_take');

/**
 * Assigns the next ids of numbered collections of a tenant and locks their counters until the transaction ends: ids are
 * sequential, and a transaction that fails returns its ids, so there is no gap. All counters are raised by one
 * statement in order of their names, before anything else is locked, so transactions that need several cannot deadlock.
 * @returns the first assigned id of each collection.
 */
export async function assignIds(
  transaction: Transaction,
  tenantId: number,
  needs: IdNeeds,
): Promise<ReadonlyMap<string, number>> {
  const collections = Object.keys(needs).filter((collection) => needs[collection] !== 0);
  const counts = collections.map((collection) => needs[collection]);
  const rows = await take(transaction, [tenantId, collections, counts]);
  return new Map(rows.map(({ collection, nextId }) => [collection, nextId - (needs[collection] ?? 0)]));
}

/** The id of the nth (from 0) row of a collection in the result of `assignIds`. */
export function idAt(firstIds: ReadonlyMap<string, number>, collection: string, nth: number): number {
  const first = firstIds.get(collection);
  if (first === undefined) throw new Error(`no ids of ${collection} were taken`);
  return first + nth;
}

/** Assigns the next id of one collection, as `assignIds` does. */
export async function assignId(transaction: Transaction, tenantId: number, collection: string): Promise<number> {
  return idAt(await assignIds(transaction, tenantId, { [collection]: 1 }), collection, 0);
}

/**
 * Locks a numbered collection: no other transaction adds to it until this one ends. Like `assignIds` it comes before
 * anything else is locked.
 */
export async function lockCounter(transaction: Transaction, tenantId: number, collection: string): Promise<void> {
  await take(transaction, [tenantId, [collection], [0]]);
}
