import type { Client } from '../connection/database.ts';
import { statement } from '../connection/statement/statement.ts';

// A row that a request is just taking over is locked, and skipped.
const forgetEventKeys = statement<{ ctid: unknown }>(
  'intake_forget_event_keys',
  `DELETE FROM event_keys WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM event_keys WHERE accepted_at <= now() - interval '24 hours' LIMIT $1 FOR UPDATE SKIP LOCKED))
   RETURNING ctid`,
);

const forgetRepeatKeys = statement<{ ctid: unknown }>(
  'intake_forget_repeat_keys',
  `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM idempotency_keys WHERE created_at <= now() - interval '24 hours' LIMIT $1 FOR UPDATE SKIP LOCKED))
   RETURNING ctid`,
);

/**
 * Deletes eventIDs and idempotency keys older than 24 hours, at most `limit` of each. They count as absent already, so
 * this only keeps the tables small; several processes may do it at once.
 * @returns how many it deleted; more are left when one kind reached the limit.
 */
export async function forgetOldKeys(
  client: Client,
  limit: number,
): Promise<{ eventKeys: number; idempotencyKeys: number }> {
  const eventKeys = await forgetEventKeys(client, [limit]);
  const idempotencyKeys = await forgetRepeatKeys(client, [limit]);
  return { eventKeys: eventKeys.length, idempotencyKeys: idempotencyKeys.length };
}
