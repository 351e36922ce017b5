import type { Client, Transaction } from '@callout/database/connection/database';
import { statement } from '@callout/database/connection/statement/statement';
import { newId } from '@callout/database/schema/ids';

/** A message about an alert of the installation that is to be sent now, by the holder of its lease. */
export interface DueOperatorMessage {
  readonly id: string;
  readonly content: unknown;
  /** Attempts made so far. */
  readonly attempts: number;
  /** Milliseconds since it was stored. */
  readonly ageMs: number;
  readonly leaseOwner: string;
}

const store = statement(
  'operator_messages_store',
  'INSERT INTO operator_messages (id, alert, content) VALUES ($1, $2, $3)',
);

/** Stores a message for OPERATOR_ALERT_URL, in the transaction in which the alert begins or ends. */
export async function storeOperatorMessage(transaction: Transaction, alert: string, content: string): Promise<void> {
  await store(transaction, [newId(), alert, content]);
}

// Of each alert the oldest: its end never overtakes its beginning. The lease of a worker that died ends.
const claim = statement<DueOperatorMessage>(
  'operator_messages_claim',
  `WITH due AS (
     SELECT id FROM operator_messages m
     WHERE due_at <= now() AND (lease_until IS NULL OR lease_until <= now())
       AND NOT EXISTS (SELECT FROM operator_messages e WHERE e.alert = m.alert AND (e.created_at, e.id) < (m.created_at, m.id))
     ORDER BY created_at LIMIT 10 FOR UPDATE SKIP LOCKED
   )
   UPDATE operator_messages m SET lease_owner = $1, lease_until = now() + $2 * interval '1 millisecond'
   FROM due WHERE m.id = due.id
   RETURNING m.id, m.content, m.attempts, m.lease_owner AS "leaseOwner",
     (extract(epoch FROM now() - m.created_at) * 1000)::bigint AS "ageMs"`,
);

/** Claims due messages. @param leaseMs longer than it takes to send them. */
export function claimOperatorMessages(client: Client, leaseMs: number): Promise<DueOperatorMessage[]> {
  return claim(client, [newId(), leaseMs]);
}

const end = statement('operator_messages_end', 'DELETE FROM operator_messages WHERE id = $1 AND lease_owner = $2');

const postpone = statement(
  'operator_messages_postpone',
  `UPDATE operator_messages SET attempts = attempts + 1, lease_owner = NULL, lease_until = NULL,
     due_at = now() + $3 * interval '1 millisecond' WHERE id = $1 AND lease_owner = $2`,
);

/** Ends a message that was sent or is given up (`waitMs` null), or puts its next attempt off. */
export async function settleOperatorMessage(
  client: Client,
  { id, leaseOwner }: DueOperatorMessage,
  waitMs: number | null,
): Promise<void> {
  if (waitMs === null) await end(client, [id, leaseOwner]);
  else await postpone(client, [id, leaseOwner, waitMs]);
}
