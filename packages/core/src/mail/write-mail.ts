import type { Catalogue } from '../catalogue/catalogue.ts';
import { cleanName } from './clean-text.ts';
import { describeDeactivation } from './describe-deactivation.ts';
import { describeError } from './describe-error.ts';
import { describeCaughtUp, describeHeld } from './describe-threshold.ts';
import { htmlOf } from './html.ts';
import { readNotice, type NoticeKind, type StoredNotice } from './notice.ts';
import type { NoticeNames, Particulars } from './particulars.ts';
import { plainTextOf } from './plain-text.ts';

/** A mail, ready to be sent to anybody. */
export interface WrittenMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** What is stored of a mail that is to be written. */
export interface UnwrittenMail {
  readonly kind: string;
  /** Of the notice: `{ webhook, facts }`. */
  readonly content: unknown;
  /** When what it tells of happened; the mail may be written days later. */
  readonly storedAt: Date;
}

export interface MailContext {
  readonly catalogue: Pick<Catalogue, 'byEntityType'>;
  /** Where the console is, without a slash at its end; without it the mail has no link. */
  readonly consoleUrl: string | undefined;
}

const subjects: Record<NoticeKind, string> = {
  error: 'Error',
  deactivated: 'Deactivated',
  thresholdExceeded: 'Threshold exceeded',
  caughtUp: 'Caught up',
};

/**
 * Writes the mail of a notice: subject, plain text and HTML, the two bodies saying the same.
 * @throws when it is not a notice of this kind.
 */
export function writeMail(
  { kind, content, storedAt }: UnwrittenMail,
  { catalogue, consoleUrl }: MailContext,
): WrittenMail {
  const notice = readNotice(kind, content);
  const { id, guid, entityType } = notice.webhook;
  const entity = catalogue.byEntityType(entityType);
  const collection = entity?.webhookCollection ?? entityType;
  const path = `/${collection}/${id}`;
  const name = cleanName(notice.webhook.name) || `webhook ${id}`;
  const names = { webhook: `“${name}”`, path, collection, singular: entity?.singular ?? 'record' };
  const subject = `Callout - ${subjects[notice.kind]}: ${name}`;
  const letter = {
    ...describe(notice, names, storedAt),
    link: consoleUrl === undefined ? undefined : `${consoleUrl}${path}`,
    footer: [
      `This is about the webhook ${names.webhook}, ${path}, with the GUID ${guid}.`,
      'You get this mail because the webhook is yours, or because it names your address for such mail.',
    ],
  };
  return { subject, text: plainTextOf(letter), html: htmlOf(letter, subject) };
}

function describe(notice: StoredNotice, names: NoticeNames, storedAt: Date): Particulars {
  if (notice.kind === 'error') return describeError(notice.facts, notice.webhook, names, storedAt);
  if (notice.kind === 'deactivated') return describeDeactivation(notice.facts, notice.webhook, names);
  return notice.kind === 'caughtUp' ? describeCaughtUp(notice.facts, names) : describeHeld(notice.facts, names);
}
