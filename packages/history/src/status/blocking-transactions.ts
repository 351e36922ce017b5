import { type BlockingTransaction, blockingSentence } from './status-sentences.rules.ts';
import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';

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
const readBlocking = statementFrom<BlockingTransaction>('history:status/blocking_transactions');
