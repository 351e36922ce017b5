import type { MailVerdict } from '../write/mail-retry.rules.ts';
import type { UnwrittenMail } from '../write/write-mail.rules.ts';
import { countWaiting } from './waiting.ts';
import type { Client } from '@callout/database/connection/database';
import { newId } from '@callout/database/schema/ids';
import { statement } from '@callout/database/connection/statement/statement';

/** A mail that is to be sent now, by the holder of its lease. */
export interface DueMail {
  /** The id of its first notification: the Message-ID. */
  id: string;
  webhookKey: number | null;
  kind: string;
  recipient: string;
  /** Its notifications, oldest first; of a very long mail, the first `mostNotifications`. */
  notifications: readonly UnwrittenMail['notifications'][number][];
  /** The number of all its notifications. */
  notificationCount: number;
  /** The number of webhooks that they are about. */
  webhookCount: number;
  /** Attempts made so far. */
  attempts: number;
  /** Milliseconds since its first notification was stored, by the database's clock. */
  ageMs: number;
  leaseOwner: string;
}

/** Maximum number of notifications that are read for a mail; the others are counted. */
const mostNotifications = 500;

// Rows that another worker is claiming are skipped; the lease of a worker that died ends.
const claim = statement<Omit<DueMail, 'notifications' | 'notificationCount' | 'webhookCount'>>(
  'mail_claim',
  `WITH due AS (
     SELECT id FROM notifications n
     WHERE state = 'waiting' AND mail_id = id AND due_at <= now() AND (lease_until IS NULL OR lease_until <= now())
       AND NOT EXISTS (SELECT FROM tenants t WHERE t.id = n.tenant_id AND t.state <> 'active')
     ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
   )
   UPDATE notifications n SET lease_owner = $2, lease_until = now() + $3 * interval '1 millisecond'
   FROM due WHERE n.id = due.id
   RETURNING n.id, n.webhook_key AS "webhookKey", n.kind, n.recipient, n.attempts,
     (extract(epoch FROM now() - n.created_at) * 1000)::bigint AS "ageMs", n.lease_owner AS "leaseOwner"`,
);

interface NotificationRow {
  mailId: string;
  webhookKey: number | null;
  content: unknown;
  storedAt: Date;
  count: number;
  webhooks: number;
}

const readNotifications = statement<NotificationRow>(
  'mail_read_notifications',
  `SELECT m.id AS "mailId", n.webhook_key AS "webhookKey", n.content, n.created_at AS "storedAt", a.count, a.webhooks
   FROM unnest($1::uuid[]) AS m (id), LATERAL (
     SELECT count(*), count(DISTINCT webhook_key) AS webhooks FROM notifications WHERE mail_id = m.id
   ) AS a, LATERAL (
     SELECT webhook_key, content, created_at, id FROM notifications WHERE mail_id = m.id ORDER BY created_at, id LIMIT $2
   ) AS n ORDER BY n.created_at, n.id`,
);

/** Mails of these kinds say what waits. */
const kindsWithWaiting: ReadonlySet<string> = new Set(['failing', 'recovered', 'thresholdExceeded']);

/**
 * Claims due mails, the longest due first.
 * @param leaseMs longer than it takes to send one; until then no other worker sends it.
 */
export async function claimDueMail(client: Client, limit: number, leaseMs: number): Promise<DueMail[]> {
  const mails = await claim(client, [limit, newId(), leaseMs]);
  if (mails.length === 0) return [];
  const notifications = await readNotifications(client, [mails.map(({ id }) => id), mostNotifications]);
  const counting = new Set(mails.filter(({ kind }) => kindsWithWaiting.has(kind)).map(({ id }) => id));
  const keys = notifications.flatMap(({ mailId, webhookKey }) =>
    webhookKey !== null && counting.has(mailId) ? [webhookKey] : [],
  );
  const waiting = await countWaiting(client, [...new Set(keys)]);
  return mails.map((mail) => {
    const own = notifications.filter(({ mailId }) => mailId === mail.id);
    const [first] = own;
    return {
      ...mail,
      notifications: own.map(({ webhookKey, content, storedAt }) => ({
        ...{ content, storedAt },
        waiting: counting.has(mail.id) ? waiting.get(webhookKey ?? 0) : undefined,
      })),
      notificationCount: first?.count ?? 0,
      webhookCount: first?.webhooks ?? 0,
    };
  });
}

const settle = statement<{ id: string }>(
  'mail_settle',
  `WITH settled AS (
     UPDATE notifications SET state = $3, last_error = $4, attempts = attempts + 1, lease_owner = NULL, lease_until = NULL,
       due_at = CASE WHEN $3 = 'waiting' THEN now() + $5 * interval '1 millisecond' ELSE due_at END,
       sent_at = CASE WHEN $3 = 'sent' THEN now() END
     WHERE id = $1 AND lease_owner = $2 AND state = 'waiting'
     RETURNING id, state, last_error, attempts, sent_at
   ), others AS (
     UPDATE notifications n SET state = s.state, last_error = s.last_error, attempts = s.attempts, sent_at = s.sent_at
     FROM settled s WHERE n.mail_id = s.id AND n.id <> s.id
   )
   SELECT id FROM settled`,
);

/**
 * Stores the result of a mail, and so of all its notifications.
 * @returns false when its lease has passed to another worker, which settles it too.
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

const failOld = statement(
  'mail_give_up_old',
  `UPDATE notifications SET state = 'failed', last_error = $2
   WHERE state = 'waiting' AND created_at <= now() - $1 * interval '1 millisecond' AND (lease_until IS NULL OR lease_until <= now())
   RETURNING id`,
);

/**
 * Fails mails that have no lease and are older than `ageMs`, because there is no mail server.
 * @param reason a sentence with the reason why they were not sent.
 * @returns the number of mails.
 */
export async function failOldMail(client: Client, ageMs: number, reason: string): Promise<number> {
  return (await failOld(client, [ageMs, reason])).length;
}
