import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';

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

const list = statementFrom<MailItem>('notify/mail_list');

/** Mails that were not sent yet, the newest first. */
export function listMails(client: Client, { states, after, limit }: MailPage): Promise<MailItem[]> {
  return list(client, [states, after, limit]);
}

const retry = statementFrom<{ id: string }>('notify/mail_retry');

/**
 * Makes a mail due now, also one that was refused or failed.
 * @returns false when it does not exist, was sent already, or is being sent at this moment, and while its
 * tenant is being moved.
 */
export async function retryMail(client: Client, id: string): Promise<boolean> {
  return (await retry(client, [id])).length > 0;
}
