import type { PoolClient } from 'pg';
import { lowestIdAt } from '@callout/database/schema/ids';
import { type Move, storeCopies } from './move-context.ts';
import type { TextRow } from './text-rows.ts';

/** A round of copying. */
export interface Round {
  /** Ids from here on, of all that was made since an earlier round began; null: all. */
  readonly since: Date | null;
  /** Later rows are for the next round. */
  readonly until: Date;
}

/** Some rows, and the key after which the next ones come. */
export interface Batch {
  /** Stores them, in the transaction that also stores `after`. @returns how many rows were written. */
  readonly store: (client: PoolClient) => Promise<number>;
  readonly after: string;
}

/** A part of a round: batches in the order of a key, so that a round goes on where it was cut short. */
export interface Step {
  readonly name: string;
  /** Null: there is nothing after that key. */
  next(move: Move, round: Round, after: string): Promise<Batch | null>;
}

export const rowsPerBatch = 500;
/** Each with its attempts, which may have 64 KiB of a response. */
export const calloutsPerBatch = 200;
export const idsPerRead = 5_000;

export const lowestId = lowestIdAt(new Date(0));
export const sinceId = ({ since }: Round) => lowestIdAt(since ?? new Date(0));
export const untilId = ({ until }: Round) => lowestIdAt(until);

/** The batch of these rows; null without one. */
export function batchOf(
  move: Move,
  table: string,
  rows: readonly TextRow[],
  onConflict: 'nothing' | 'update',
  keyOf: (row: TextRow) => string,
): Batch | null {
  const last = rows.at(-1);
  if (last === undefined) return null;
  return { store: (client) => storeCopies(move, client, table, rows, onConflict), after: keyOf(last) };
}

/** The next ones of a sorted list: the first for which `isNext` is true, and those after it. */
export function nextOf<One>(sorted: readonly One[], isNext: (one: One) => boolean, most: number): One[] {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (isNext(sorted[middle] as One)) to = middle;
    else from = middle + 1;
  }
  return sorted.slice(from, from + most);
}

/** Which of these rows of history are not in the target yet, in their order. */
export async function missingOf(
  move: Move,
  table: 'events' | 'callouts' | 'attempts',
  ids: string[],
): Promise<string[]> {
  const { rows } = await move.target.pool.query<{ id: string }>(
    `SELECT id::text FROM ${table} WHERE id = ANY($1::uuid[])`,
    [ids],
  );
  const there = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !there.has(id));
}
