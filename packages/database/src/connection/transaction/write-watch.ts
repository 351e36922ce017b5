import { randomBytes } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';

/** PostgreSQL's errors when it cannot store something, and their meaning. */
const refusals: Readonly<Record<string, string>> = {
  '53100': 'PostgreSQL cannot store anything: its disk is full',
  '58030': 'PostgreSQL cannot store anything: its disk fails',
};

/** Records whether PostgreSQL has refused to store something, and finds out whether it still does. */
export interface WriteWatch {
  /** Watches every statement on the connections of a pool for such a refusal. */
  hear(pool: Pool): void;
  /** Why nothing can be written there now, as a sentence; empty when writing works. */
  problems(pool: Pool): Promise<string[]>;
}

/** The socket of a client, which is missing in pg's types. */
interface Wired {
  readonly connection: { on(event: 'errorMessage', listener: (message: { code?: string }) => void): void };
}

/**
 * With a full disk everything can be read and some things written, so only a write shows the problem, and a write for
 * each probe would be additional load. So the outcome of real writes counts: as long as a refusal lasts, each check
 * writes something that needs new disk space, and rolls back.
 */
export function createWriteWatch(): WriteWatch {
  let refusal: string | undefined;
  return {
    hear(pool) {
      pool.on('connect', (client: PoolClient) => {
        (client as unknown as Wired).connection.on('errorMessage', ({ code }) => {
          if (code !== undefined && code in refusals) refusal = code;
        });
      });
    },
    async problems(pool) {
      if (await isReadOnly(pool)) return ['PostgreSQL is read-only: a replica, or out of space'];
      if (refusal === undefined) return [];
      // A failure for another reason does not show that the disk has space again.
      const isWell = await tryToWrite(pool).then(
        () => true,
        () => false,
      );
      if (!isWell) return [refusals[refusal] ?? ''];
      refusal = undefined;
      return [];
    },
  };
}

async function isReadOnly(client: Pool): Promise<boolean> {
  const { rows } = await client.query<{ isReadOnly: boolean }>(
    `SELECT current_setting('transaction_read_only')::bool AS "isReadOnly"`,
  );
  return rows[0]?.isReadOnly === true;
}

/**
 * A separate table needs new space, where a row in another table may fit into the remaining space. It is never
 * committed.
 */
async function tryToWrite(pool: Pool): Promise<void> {
  const table = `callout_probe_${randomBytes(8).toString('hex')}`;
  await pool.query(`DO $$ BEGIN
    CREATE TABLE ${table} AS SELECT repeat('x', 1000) AS x FROM generate_series(1, 50);
    RAISE EXCEPTION 'undone' USING ERRCODE = 'CO001';
  EXCEPTION WHEN SQLSTATE 'CO001' THEN NULL;
  END $$`);
}
