import { type BlockingTransaction, blockingSentence } from './status-sentences.rules.ts';
import type { Client } from '@callout/database/connection/database';
import { statement } from '@callout/database/connection/statement/statement';

/** So short that it is known while it lasts, and so long that ordinary waits for each other are not meant. */
const leastWaitMs = 3_000;

/**
 * Transactions for whose locks others have waited for seconds: of a process that has frozen, until PostgreSQL ends it,
 * or of a program that is not Callout, such as a `psql` that was left open, which nothing ends.
 */
export async function findBlockingTransactions(client: Client): Promise<BlockingTransaction[]> {
  return readBlocking(client, [leastWaitMs]);
}

/** The same, as text. */
export async function describeBlockingTransactions(client: Client): Promise<string[]> {
  return (await findBlockingTransactions(client)).map(blockingSentence);
}

// A waiting session may wait for another waiting one: the last in the chain is meant.
const readBlocking = statement<BlockingTransaction>(
  'blocking_transactions',
  `WITH RECURSIVE waits AS MATERIALIZED (
     SELECT w.pid, extract(epoch FROM clock_timestamp() - w.query_start) * 1000 AS waited_ms, blocker.pid AS for_pid
     FROM pg_stat_activity w, unnest(pg_blocking_pids(w.pid)) AS blocker (pid)
     WHERE w.datname = current_database() AND w.wait_event_type = 'Lock'
   ), chain (pid, waited_ms, for_pid) AS (
     SELECT pid, waited_ms, for_pid FROM waits WHERE waited_ms >= $1
     UNION SELECT chain.pid, chain.waited_ms, waits.for_pid FROM chain JOIN waits ON waits.pid = chain.for_pid
   )
   SELECT b.pid, coalesce(b.application_name, '') AS program, host(b.client_addr) AS host,
     count(DISTINCT chain.pid) AS waiting, max(chain.waited_ms)::float8 AS "waitedMs"
   FROM chain JOIN pg_stat_activity b ON b.pid = chain.for_pid
   WHERE b.wait_event_type IS DISTINCT FROM 'Lock'
   GROUP BY b.pid, b.application_name, b.client_addr ORDER BY "waitedMs" DESC`,
);
