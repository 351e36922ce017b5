import type { MailVerdict } from '../write/mail-retry.rules.ts';
import type { UnwrittenMail } from '../write/write-mail.rules.ts';
import { countWaiting } from './waiting.ts';
import type { Client } from '@callout/database/connection/database';
import { newId } from '@callout/database/schema/ids';
import { statementFrom } from '@callout/database/connection/statement/statement';

/** A mail that is to be sent now, by the holder of the lease. */
export interface DueMail {
  /** The id of the first notification: the Message-ID. */
  id: string;
  webhookKey: number | null;
  kind: string;
  recipient: string;
  /** The notifications, oldest first; of a very long mail, the first `mostNotifications`. */
  notifications: readonly UnwrittenMail['notifications'][number][];
  /** The number of all notifications in the mail. */
  notificationCount: number;
  /** The number of webhooks that the mail is about. */
  webhookCount: number;
  /** Attempts made so far. */
  attempts: number;
  /** Milliseconds since the first notification was stored, by the database's clock. */
  ageMs: number;
  leaseOwner: string;
}

/** Maximum number of notifications that are read for a mail; the rest is counted. */
const mostNotifications = 500;

const claim = statementFrom<Omit<DueMail, 'notifications' | 'notificationCount' | 'webhookCount'>>('notify/mail_claim');

interface NotificationRow {
  mailId: string;
  webhookKey: number | null;
  content: unknown;
  storedAt: Date;
  count: number;
  webhooks: number;
}

const readNotifications = statementFrom<NotificationRow>('notify/mail_read_notifications');

/** Kinds of mails that say what waits. */
const kindsWithWaiting: ReadonlySet<string> = new Set(['failing', 'recovered', 'thresholdExceeded']);

/**
 * Claims due mails, the longest due first.
 * @param leaseMs longer than sending a mail takes; until then no second worker sends the mail.
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
    const ofMail = notifications.filter(({ mailId }) => mailId === mail.id);
    const [first] = ofMail;
    return {
      ...mail,
      notifications: ofMail.map(({ webhookKey, content, storedAt }) => ({
        ...{ content, storedAt },
        waiting: counting.has(mail.id) ? waiting.get(webhookKey ?? 0) : undefined,
      })),
      notificationCount: first?.count ?? 0,
      webhookCount: first?.webhooks ?? 0,
    };
  });
}

const settle = statementFrom<{ id: string }>('notify/mail_settle');

/**
 * Stores the result of a mail, and so of all notifications in the mail.
 * @returns false when the lease has passed to another worker, which settles the mail, too.
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

const failOld = statementFrom('notify/mail_give_up_old');

/**
 * Fails mails that have no lease and are older than `ageMs`, because there is no mail server.
 * @param reason a sentence with the reason why the mails were not sent.
 * @returns the number of mails.
 */
export async function failOldMail(client: Client, ageMs: number, reason: string): Promise<number> {
  return (await failOld(client, [ageMs, reason])).length;
}
