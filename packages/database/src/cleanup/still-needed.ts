import type { Client } from '../connection/database.ts';
import { statementFrom, type Statement } from '../connection/statement/statement.ts';
import { lowestIdAt } from '../schema/ids.ts';
import { dayMs } from '../schema/partitions.ts';

type Count = { count: number };
const countArriving = statementFrom<Count>('database:cleanup/retention_count_arriving');
const countPending = statementFrom<Count>('database:cleanup/retention_count_pending');
const countOpen = statementFrom<Count>('database:cleanup/retention_count_open');
const countAttempts = statementFrom<Count>('database:cleanup/retention_count_attempts');
const countUnsent = statementFrom<Count>('database:cleanup/retention_count_unsent');

/**
 * The kinds of history with their own retention: callouts with their bodies and attempts; events with their verdicts;
 * error logs.
 */
export type HistoryKind = 'callouts' | 'events' | 'errorLogs';

/** Why the rows of a day are still needed, as sentences; empty when they are not. */
export async function reasonsToKeep(client: Client, kind: HistoryKind, day: Date): Promise<string[]> {
  const ofAnyKind = await count(client, countArriving, [], 'tenant that is being moved here');
  if (kind === 'errorLogs') return ofAnyKind;
  const ids = idsOf(day);
  if (kind === 'events') {
    const nextDay = new Date(day.getTime() + dayMs);
    return [
      ...ofAnyKind,
      ...(await count(client, countPending, ids, 'pending event')),
      // Their bodies are made from events of the same day, or of the day before.
      ...(await openCalloutsOf(client, day)),
      ...(await openCalloutsOf(client, nextDay)),
    ];
  }
  return [
    ...ofAnyKind,
    ...(await openCalloutsOf(client, day)),
    ...(await count(client, countAttempts, ids, 'open callout with an attempt')),
    ...(await count(client, countUnsent, ids, 'mail that is not out')),
  ];
}

/** The open callouts of a day, as sentences; empty when there are none. */
export async function openCalloutsOf(client: Client, day: Date): Promise<string[]> {
  return count(client, countOpen, idsOf(day), 'open callout');
}

/** The lowest id of a day, and that of the day after. */
function idsOf(day: Date): [from: string, below: string] {
  return [lowestIdAt(day), lowestIdAt(new Date(day.getTime() + dayMs))];
}

async function count(client: Client, statement: Statement<Count>, values: string[], what: string): Promise<string[]> {
  const [{ count: number } = { count: 0 }] = await statement(client, values);
  return number === 0 ? [] : [`${number} × ${what}`];
}
