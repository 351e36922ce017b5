import { tokenOfTicket } from './confirmation-token.rules.ts';
import type { Draft } from '../text/draft.rules.ts';
import { htmlOf } from '../text/html.rules.ts';
import { installationName, type MailContext, subjectPrefix } from './mail-context.rules.ts';
import { readAlert, readConfirmation, readNotification } from './notification.rules.ts';
import { plainTextOf } from '../text/plain-text.rules.ts';
import type { WrittenMail } from '@callout/domain/mail/mail-message';
import { draftAlerts } from './write-alert.rules.ts';
import { draftConfirmation } from './write-confirmation.rules.ts';
import { draftNotifications } from './write-notifications.rules.ts';

/** The stored content of a mail that is to be written. */
export interface UnwrittenMail {
  readonly kind: string;
  /** Its notifications, the oldest first; at least one. */
  readonly notifications: readonly {
    /** For a webhook: `{ webhook, tenant, facts }`. */
    readonly content: unknown;
    /** The time of the occasion; the mail may be written days later. */
    readonly storedAt: Date;
  }[];
  /** The number of all notifications, when not all of them are here. */
  readonly notificationCount: number;
  /** Milliseconds since the first of them was stored. */
  readonly ageMs: number;
}

/**
 * Writes a mail: subject, plain text and HTML, with the same content in both bodies.
 * @throws when a notification is not one of this kind.
 */
export function writeMail(mail: UnwrittenMail, context: MailContext): WrittenMail {
  const [subject, draft] = subjectAndDraft(mail, context);
  return { subject, text: plainTextOf(draft), html: htmlOf(draft, subject) };
}

function subjectAndDraft(
  { kind, notifications, notificationCount, ageMs }: UnwrittenMail,
  context: MailContext,
): [string, Draft] {
  const installation = installationName(context) ?? 'Callout';
  if (kind === 'alert' || kind === 'alertOver') {
    const alerts = notifications.map(({ content }) => readAlert(content));
    const more = notificationCount > 1 ? ` and ${notificationCount - 1} more` : '';
    const what = kind === 'alert' ? 'Alert' : 'Alert over';
    const subject = `${subjectPrefix(context)}Callout - ${what}: ${alerts[0]?.title ?? ''}${more}`;
    return [subject, draftAlerts(alerts, installation)];
  }
  if (kind === 'confirmation') {
    const { tenant, facts } = readConfirmation(notifications[0]?.content);
    const token = tokenOfTicket(facts, context.confirmationKeys);
    const url = `${context.publicUrl ?? tenant?.url ?? ''}/confirm-mail?token=${token}`;
    const draft = draftConfirmation({ tenantName: tenant?.name, expiresAt: facts.expiresAt, url, installation });
    return [`${subjectPrefix(context)}Callout - Confirm this address`, draft];
  }
  const read = notifications.map(({ content, storedAt }) => ({ ...readNotification(kind, content), storedAt }));
  const writtenAt = new Date((notifications[0]?.storedAt.getTime() ?? 0) + ageMs);
  return draftNotifications(read, { notificationCount, writtenAt }, context);
}
