import type { Client } from '../connection/database.ts';
import { statementFrom } from '../connection/statement.ts';

const wake = statementFrom<{ event_id: string }>('claim/sweep_wake_events');

/**
 * Pending events whose wake-up call must have been lost, oldest first; each call puts the next one off, from 10 s to
 * 5 minutes. Several workers may ask at once and get different ones.
 */
export async function wakeLateEvents(client: Client, limit: number): Promise<string[]> {
  return (await wake(client, [limit])).map((row) => row.event_id);
}

const readPending = statementFrom<{ event_id: string }>('claim/sweep_read_pending');

/** The lowest of all ids: what `pendingEvents` begins after. */
export const beforeAllEvents = '00000000-0000-0000-0000-000000000000';

/** Pending events in order of their acceptance, whether or not a wake-up call is on its way to them. */
export async function pendingEvents(client: Client, afterId: string, limit: number): Promise<string[]> {
  return (await readPending(client, [afterId, limit])).map((row) => row.event_id);
}

const findDue = statementFrom<{ webhookKey: number }>('claim/sweep_find_due');

/**
 * Webhooks with a callout that is due and that nobody is sending: its time has come, its wake-up call was lost, or the
 * lease of a dead worker has ended. In order of the key, above `afterKey`. Those that are paused are left to rest, and of
 * those that are shut only deactivation calls count.
 */
export async function webhooksWithDueCallouts(client: Client, afterKey: number, limit: number): Promise<number[]> {
  return (await findDue(client, [afterKey, limit])).map((row) => row.webhookKey).toSorted((a, b) => a - b);
}
