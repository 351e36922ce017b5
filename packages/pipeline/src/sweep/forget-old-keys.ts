import type { Client } from '@callout/database/connection/database';
import { statement } from '@callout/database/connection/statement/statement';

// A row that a request is reusing at this moment is locked, and skipped.
const forgetEventKeys = statement<{ ctid: unknown }>(
  'ingest_forget_event_keys',
  `DELETE FROM event_keys WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM event_keys WHERE accepted_at <= now() - interval '24 hours' LIMIT $1 FOR UPDATE SKIP LOCKED))
   RETURNING ctid`,
);

const forgetRepeatKeys = statement<{ ctid: unknown }>(
  'ingest_forget_idempotency_keys',
  `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM idempotency_keys WHERE created_at <= now() - interval '24 hours' LIMIT $1 FOR UPDATE SKIP LOCKED))
   RETURNING ctid`,
);

/**
 * Deletes eventIDs and idempotency keys older than 24 hours, at most `limit` of each. They count as absent anyway, so
 * this only keeps the tables small; several processes may do it at once.
 * @returns the number of deleted rows; more are left when one kind reached the limit.
 */
export async function forgetOldKeys(
  client: Client,
  limit: number,
): Promise<{ eventKeys: number; idempotencyKeys: number }> {
  const eventKeys = await forgetEventKeys(client, [limit]);
  const idempotencyKeys = await forgetRepeatKeys(client, [limit]);
  return { eventKeys: eventKeys.length, idempotencyKeys: idempotencyKeys.length };
}
