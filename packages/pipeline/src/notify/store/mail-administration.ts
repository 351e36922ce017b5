import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';

/** A mail, or a notification that waits to become part of a mail. */
export interface MailItem {
  readonly id: string;
  readonly tenantID: number | null;
  readonly tenantName: string | null;
  readonly kind: string;
  readonly recipient: string;
  /** waiting; refused by the mail server for the recipient; failed after 7 days. */
  readonly state: 'waiting' | 'refused' | 'failed';
  /** Whether there is a mail; otherwise the notification waits for more of the kind, a limit, or a confirmed address. */
  readonly isGathered: boolean;
  /** The number of notifications in the mail. */
  readonly notifications: number;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly createDateTime: Date;
  /** When the mail is tried next; null without a next attempt. */
  readonly nextAttemptDateTime: Date | null;
}

export interface MailPage {
  readonly states: readonly MailItem['state'][];
  /** The last id of the previous page; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}

const list = statementFrom<MailItem>('notify/mail_list');

/** Mails that were not sent yet, the newest first. */
export function listMails(client: Client, { states, after, limit }: MailPage): Promise<MailItem[]> {
  return list(client, [states, after, limit]);
}

const retry = statementFrom<{ id: string }>('notify/mail_retry');

/**
 * Makes a mail due now, also a mail that was refused or failed.
 * @returns false when the mail does not exist, was sent already, or is being sent at the moment, and while the tenant is
 * being moved.
 */
export async function retryMail(client: Client, id: string): Promise<boolean> {
  return (await retry(client, [id])).length > 0;
}
