import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';

const takeLate = statementFrom<{ event_id: string }>('sweep/sweep_take_late_events');

/**
 * Pending events whose job must have been lost, oldest first. An event that was claimed is not claimed again for a
 * while, from 10 s to 5 minutes. Concurrent workers get different events.
 */
export async function claimLateEvents(client: Client, limit: number): Promise<string[]> {
  return (await takeLate(client, [limit])).map((row) => row.event_id);
}

const readPending = statementFrom<{ event_id: string }>('sweep/sweep_read_pending');

/** The lowest of all ids, with which `pendingEvents` starts. */
export const beforeAllEvents = '00000000-0000-0000-0000-000000000000';

/** Pending events in order of their acceptance, whether or not a job names them already. */
export async function pendingEvents(client: Client, afterId: string, limit: number): Promise<string[]> {
  return (await readPending(client, [afterId, limit])).map((row) => row.event_id);
}

const findDue = statementFrom<{ webhookKey: number }>('sweep/sweep_find_due');

/**
 * Webhooks with a due callout without a lease: its time has come, its job was lost, or the lease of a dead worker
 * has ended. In order of the key, above `afterKey`. Paused webhooks are left out, and of inactive ones only
 * deactivation calls count.
 */
export async function webhooksWithDueCallouts(client: Client, afterKey: number, limit: number): Promise<number[]> {
  return (await findDue(client, [afterKey, limit])).map((row) => row.webhookKey).toSorted((a, b) => a - b);
}
