import type { KeyRing } from '@callout/domain/secrets/keyring';
import type { Pool, PoolClient } from 'pg';
import { keysNamed, rewrite, type Rewriting } from './rewrite.ts';
import { readShape, type TableShape, type TextRow, writeRows } from './text-rows.ts';

/** One of the two zones. Statements may take long there. */
export interface Zone {
  readonly pool: Pool;
  readonly keyRing: KeyRing;
}

export interface Zones {
  readonly source: Zone;
  readonly target: Zone;
}

/** A move in progress, with the dependencies of copying. */
export interface Move extends Zones, Rewriting {
  readonly id: string;
  readonly tenantName: string;
  readonly zoneName: string;
  readonly shapes: Map<string, TableShape>;
  /** Called with a description of the next step and its progress. */
  readonly onStep: (step: string) => void;
  /** Asked between two transactions. */
  readonly isStopping: () => boolean;
}

/** The command was interrupted: copied rows stay, and the same command goes on there. */
export class MoveStopped extends Error {
  constructor() {
    super('the move was stopped: run the same command again to go on, or with --abort to undo it');
  }
}

/** Throws MoveStopped when the command is to end. */
export function goOn({ isStopping }: Pick<Move, 'isStopping'>): void {
  if (isStopping()) throw new MoveStopped();
}

/**
 * Runs work in a transaction of the target that may write data of a moving tenant, as long as it is moving: a command
 * that lost its lock must not write into a tenant whose move another one has finished.
 */
export async function inTarget<T>(
  { target, targetTenantId }: Pick<Move, 'target' | 'targetTenantId'>,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  return inTransactionOf(target.pool, async (client) => {
    await client.query(`SET LOCAL callout.moving = 'on'`);
    const { rowCount } = await client.query(
      `SELECT FROM tenants WHERE id = $1 AND move_state = 'arriving' AND deleting_at IS NULL FOR SHARE`,
      [targetTenantId],
    );
    if (rowCount !== 1)
      throw new Error('the tenant is not on its way any more: another command has moved it, or undone that');
    return work(client);
  });
}

/** Runs work in a transaction. Not `inTransaction`: the order of locks is that of no other work. */
export async function inTransactionOf<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((cause: Error) => {
      broken = cause;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

export async function shapeOf(move: Pick<Move, 'source' | 'shapes'>, table: string): Promise<TableShape> {
  const known = move.shapes.get(table);
  if (known !== undefined) return known;
  const shape = await readShape(move.source.pool, table);
  move.shapes.set(table, shape);
  return shape;
}

/** Stores rows of the source in the target. @returns how many were written. */
export async function storeCopies(
  move: Move,
  client: PoolClient,
  table: string,
  rows: readonly TextRow[],
  onConflict: 'nothing' | 'update',
): Promise<number> {
  const named = rows.map((row) => keysNamed(table, row));
  for (const kind of ['webhook', 'credential'] as const) {
    await move.keys.ensure(
      client,
      kind,
      named.flatMap((keys) => keys[kind]),
    );
  }
  const shape = await shapeOf(move, table);
  return writeRows(
    client,
    shape,
    rows.map((row) => rewrite(table, row, move)),
    onConflict,
  );
}
