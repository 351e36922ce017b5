import { type BlockingTransaction, blockingSentence } from './status-sentences.rules.ts';
import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';

/** So short that a blocking transaction is seen in time, and so long that ordinary waits do not count. */
const leastWaitMs = 3_000;

/**
 * Transactions for whose locks others have waited for seconds: of a process that has frozen, until PostgreSQL ends the
 * transaction, or of another program, such as a forgotten `psql`, which nothing ends.
 */
export async function findBlockingTransactions(client: Client): Promise<BlockingTransaction[]> {
  return readBlocking(client, [leastWaitMs]);
}

/** The same, as text. */
export async function describeBlockingTransactions(client: Client): Promise<string[]> {
  return (await findBlockingTransactions(client)).map(blockingSentence);
}

// A waiting session may wait for another waiting one: the last in the chain is meant.
const readBlocking = statementFrom<BlockingTransaction>('history:status/blocking_transactions');
