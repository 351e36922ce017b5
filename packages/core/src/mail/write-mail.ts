import { tokenOfTicket } from './confirmation-token.ts';
import type { Draft } from './text/draft.ts';
import { htmlOf } from './text/html.ts';
import { installationName, type MailContext } from './mail-context.ts';
import { readAlert, readConfirmation, readNotification } from './notification.ts';
import { plainTextOf } from './text/plain-text.ts';
import { draftAlerts } from './write-alert.ts';
import { draftConfirmation } from './write-confirmation.ts';
import { draftNotifications } from './write-notifications.ts';

/** A mail, ready to be sent to any recipient. */
export interface WrittenMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** What is stored of a mail that is to be written. */
export interface UnwrittenMail {
  readonly kind: string;
  /** What it tells of, the oldest first; at least one. */
  readonly notifications: readonly {
    /** Of a webhook: `{ webhook, tenant, facts }`. */
    readonly content: unknown;
    /** When what it tells of happened; the mail may be written days later. */
    readonly storedAt: Date;
  }[];
  /** How many there are altogether, when not all of them are here. */
  readonly notificationCount: number;
}

/**
 * Writes a mail: subject, plain text and HTML, the two bodies saying the same.
 * @throws when a notification is not one of this kind.
 */
export function writeMail(mail: UnwrittenMail, context: MailContext): WrittenMail {
  const [subject, draft] = subjectAndDraft(mail, context);
  return { subject, text: plainTextOf(draft), html: htmlOf(draft, subject) };
}

function subjectAndDraft(
  { kind, notifications, notificationCount }: UnwrittenMail,
  context: MailContext,
): [string, Draft] {
  const installation = installationName(context) ?? 'Callout';
  if (kind === 'alert' || kind === 'alertOver') {
    const alerts = notifications.map(({ content }) => readAlert(content));
    const more = notificationCount > 1 ? ` and ${notificationCount - 1} more` : '';
    const what = kind === 'alert' ? 'Alert' : 'Alert over';
    return [`Callout - ${what}: ${alerts[0]?.title ?? ''}${more}`, draftAlerts(alerts, installation)];
  }
  if (kind === 'confirmation') {
    const { tenant, facts } = readConfirmation(notifications[0]?.content);
    const token = 'token' in facts ? facts.token : tokenOfTicket(facts, context.confirmationKeys);
    const url = `${context.publicUrl ?? tenant?.url ?? ''}/confirm-mail?token=${token}`;
    const draft = draftConfirmation({ tenantName: tenant?.name, expiresAt: facts.expiresAt, url, installation });
    return ['Callout - Confirm this address', draft];
  }
  const read = notifications.map(({ content, storedAt }) => ({ ...readNotification(kind, content), storedAt }));
  return draftNotifications(read, notificationCount, context);
}
