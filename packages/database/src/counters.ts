import type { Transaction } from './connection/database.ts';
import { statementFrom } from './connection/statement/statement.ts';

/** The number of ids that a transaction needs of each collection. */
export type IdNeeds = Readonly<Record<string, number>>;

// Not a model: several counters are locked in order, and a missing counter is created.
const take = statementFrom<{ collection: string; nextId: number }>('database:counters_take');

/**
 * Assigns the next ids of numbered collections of a tenant and locks the counters until the transaction ends: ids are
 * sequential, and a failed transaction returns its ids, so there is no gap. One statement raises all counters in the
 * order of their names, before anything else is locked, so transactions with several counters cannot deadlock.
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
 * Locks a numbered collection: no other transaction adds to the collection until the present transaction ends. Like
 * `assignIds` it comes before anything else is locked.
 */
export async function lockCounter(transaction: Transaction, tenantId: number, collection: string): Promise<void> {
  await take(transaction, [tenantId, [collection], [0]]);
}
