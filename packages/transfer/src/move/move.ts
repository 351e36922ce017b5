import type { KeyRing } from '@callout/domain/secrets/keyring';
import type { Pool, PoolClient } from 'pg';

/** One of the two zones. Statements may take long there. */
export interface Zone {
  readonly pool: Pool;
  readonly keyRing: KeyRing;
}

export interface Zones {
  readonly source: Zone;
  readonly target: Zone;
}

/** A move in progress. */
export interface Move extends Zones {
  readonly id: string;
  /** The name of the run in both databases: another run takes the move over. */
  readonly run: string;
  readonly zoneName: string;
  readonly sourceTenantId: number;
  readonly targetTenantId: number;
  /** Called with a description of the next step and its progress. */
  readonly onStep: (step: string) => void;
  /** Asked between two transactions. */
  readonly isStopping: () => boolean;
}

/** A row as PostgreSQL writes rows: the text of every value, which PostgreSQL reads as the same value again. */
export type TextRow = Readonly<Record<string, string | null>>;

/** The command was suspended, for example, and another command continued in its place. */
export function moveLost(): Error {
  return new Error(
    'the tenant is not on its way any more: another command has moved it, or undone that, or it is being deleted',
  );
}

/** Throws when the command was interrupted: the same command begins to copy again. */
export function goOn({ isStopping }: Pick<Move, 'isStopping'>): void {
  if (isStopping())
    throw new Error('the move was stopped: run the same command again to go on, or with --abort to undo it');
}

/** Runs work in a transaction. Not `inTransaction`: no other work has the same order of locks. */
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
