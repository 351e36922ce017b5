import type { Client } from './database.ts';
import { statementFrom } from './statement/statement.ts';

export const readNow = statementFrom<{ now: Date }>('database:connection/clock_read_now');

/**
 * The earlier of this machine's clock and the database's. Dropping old data cannot be undone, so a clock that is ahead
 * must not decide alone.
 */
export async function earlierNow(client: Client, machineNow: Date): Promise<Date> {
  const [database] = await readNow(client, []);
  return database !== undefined && database.now < machineNow ? database.now : machineNow;
}
