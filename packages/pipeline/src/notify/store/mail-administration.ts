import type { Client } from '@callout/database/connection/database';
import { statement } from '@callout/database/connection/statement/statement';

/** A mail, or a notification that waits to become part of one. */
export interface MailItem {
  readonly id: string;
  readonly tenantID: number | null;
  readonly tenantName: string | null;
  readonly kind: string;
  readonly recipient: string;
  /** waiting; refused by the mail server for this recipient; failed after 7 days. */
  readonly state: 'waiting' | 'refused' | 'failed';
  /** Whether it is in a mail; otherwise it waits for others of its kind, a limit, or its address to be confirmed. */
  readonly isGathered: boolean;
  /** The number of its notifications. */
  readonly notifications: number;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly createDateTime: Date;
  /** When it is tried next; null when it is not. */
  readonly nextAttemptDateTime: Date | null;
}

export interface MailPage {
  readonly states: readonly MailItem['state'][];
  /** The last id of the previous page; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}

// Ids contain the time of storing, so the newest comes first.
const list = statement<MailItem>(
  'mail_list',
  `SELECT n.id, n.tenant_id AS "tenantID", t.name AS "tenantName", n.kind, n.recipient, n.state,
     n.mail_id IS NOT NULL AS "isGathered", n.attempts, n.last_error AS "lastError", n.created_at AS "createDateTime",
     CASE WHEN n.state = 'waiting' AND n.mail_id IS NOT NULL THEN n.due_at END AS "nextAttemptDateTime",
     CASE WHEN n.mail_id IS NULL THEN 1 ELSE (SELECT count(*) FROM notifications o WHERE o.mail_id = n.mail_id) END AS notifications
   FROM notifications n LEFT JOIN tenants t ON t.id = n.tenant_id
   WHERE n.state = ANY($1::text[]) AND (n.mail_id IS NULL OR n.mail_id = n.id) AND ($2::uuid IS NULL OR n.id < $2)
   ORDER BY n.id DESC LIMIT $3`,
);

/** Mails that were not sent yet, the newest first. */
export function listMails(client: Client, { states, after, limit }: MailPage): Promise<MailItem[]> {
  return list(client, [states, after, limit]);
}

// A mail that failed is tried once more, whatever its age. One that a worker is sending is left alone, and so is
// one of a tenant that is not served here.
const retry = statement<{ id: string }>(
  'mail_retry',
  `WITH mail AS (
     UPDATE notifications SET state = 'waiting', due_at = now(), sent_at = NULL
     WHERE id = $1 AND mail_id = id AND state IN ('waiting', 'refused', 'failed')
       AND (lease_until IS NULL OR lease_until <= now())
       AND coalesce((SELECT state FROM tenants WHERE id = tenant_id), 'active') = 'active'
     RETURNING id
   ), others AS (
     UPDATE notifications n SET state = 'waiting', due_at = now(), sent_at = NULL FROM mail
     WHERE n.mail_id = mail.id AND n.id <> mail.id
   )
   SELECT id FROM mail`,
);

/**
 * Makes a mail due now, also one that was refused or failed.
 * @returns false when it does not exist, was sent already, or is being sent at this moment, and while its
 * tenant is being moved.
 */
export async function retryMail(client: Client, id: string): Promise<boolean> {
  return (await retry(client, [id])).length > 0;
}
