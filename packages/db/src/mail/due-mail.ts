import type { MailVerdict } from '@callout/core';
import type { Client } from '../connection/database.ts';
import { newId } from '../schema/ids.ts';
import { statement } from '../connection/statement.ts';

/** A mail that is to be sent now, by whoever holds its lease. */
export interface DueMail {
  id: string;
  webhookKey: number;
  kind: string;
  recipient: string;
  /** `{ webhook, facts }`, as it was stored. */
  content: unknown;
  storedAt: Date;
  /** Attempts made so far. */
  attempts: number;
  /** Milliseconds since it was stored, by the database's clock. */
  ageMs: number;
  leaseOwner: string;
}

// What another worker is claiming at this moment is passed over; the lease of a worker that died lapses.
const claim = statement<DueMail>(
  'mail_claim',
  `WITH due AS (
     SELECT id FROM notifications
     WHERE state = 'waiting' AND due_at <= now() AND (lease_until IS NULL OR lease_until <= now())
     ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
   )
   UPDATE notifications n SET lease_owner = $2, lease_until = now() + $3 * interval '1 millisecond'
   FROM due WHERE n.id = due.id
   RETURNING n.id, n.webhook_key AS "webhookKey", n.kind, n.recipient, n.content, n.created_at AS "storedAt",
     n.attempts, (extract(epoch FROM now() - n.created_at) * 1000)::bigint AS "ageMs", n.lease_owner AS "leaseOwner"`,
);

/**
 * Takes due mails, the longest due first.
 * @param leaseMs longer than sending one may take: then nobody else may send it.
 */
export async function claimDueMail(client: Client, limit: number, leaseMs: number): Promise<DueMail[]> {
  return claim(client, [limit, newId(), leaseMs]);
}

const settle = statement<{ id: string }>(
  'mail_settle',
  `UPDATE notifications SET state = $3, last_error = $4, attempts = attempts + 1, lease_owner = NULL, lease_until = NULL,
     due_at = CASE WHEN $3 = 'waiting' THEN now() + $5 * interval '1 millisecond' ELSE due_at END,
     sent_at = CASE WHEN $3 = 'sent' THEN now() END
   WHERE id = $1 AND lease_owner = $2 AND state = 'waiting'
   RETURNING id`,
);

/**
 * Stores what became of a mail.
 * @returns false when its lease has passed to somebody else, who settles it too.
 */
export async function settleMail(
  client: Client,
  { id, leaseOwner }: Pick<DueMail, 'id' | 'leaseOwner'>,
  verdict: MailVerdict,
): Promise<boolean> {
  const reason = verdict.state === 'sent' ? null : verdict.reason;
  const waitMs = verdict.state === 'waiting' ? verdict.waitMs : null;
  const settled = await settle(client, [id, leaseOwner, verdict.state, reason, waitMs]);
  return settled.length > 0;
}

const giveUpOld = statement(
  'mail_give_up_old',
  `UPDATE notifications SET state = 'givenUp', last_error = $2
   WHERE state = 'waiting' AND created_at <= now() - $1 * interval '1 millisecond' AND (lease_until IS NULL OR lease_until <= now())
   RETURNING id`,
);

/**
 * Gives up mails that nobody is sending and that are older than `ageMs`, for want of a mail server.
 * @param reason in words, of what they were not sent.
 * @returns how many.
 */
export async function giveUpOldMail(client: Client, ageMs: number, reason: string): Promise<number> {
  return (await giveUpOld(client, [ageMs, reason])).length;
}
