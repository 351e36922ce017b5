import { oneLine } from '@callout/domain/mail/clean-text';
import type { MailOutcome } from '@callout/domain/mail/mail-message';
import type { WorkerConfig } from '@callout/runtime/config/worker';

type Credentials = NonNullable<WorkerConfig['SMTP_URL']>['credentials'];

const longestReason = 500;

/**
 * Replies that are permanent in form, but are about us and not about the recipient: commands or their order not
 * understood, and TLS or a login missing. An operator can correct that, and then the mail is sent.
 */
const aboutUs = new Set([500, 502, 503, 504, 523, 530, 534, 535, 538]);

/**
 * The outcome of a mail that was not sent. A mail is permanently refused only by a permanent reply to the recipient or
 * to the mail itself; a server that is away, or refuses our login or our sender, may accept the mail later.
 */
export function judgeSmtpError(
  error: unknown,
  { recipient, credentials }: { recipient: string; credentials: Credentials },
): MailOutcome {
  const { command, responseCode } = Object(error) as { command?: unknown; responseCode?: unknown };
  const reason = wordsOf(error, recipient, credentials);
  const isAboutMail = command === 'RCPT TO' || command === 'DATA';
  const isPermanent = typeof responseCode === 'number' && responseCode >= 500 && !aboutUs.has(responseCode);
  return { kind: isAboutMail && isPermanent ? 'refused' : 'notSent', reason };
}

/** A sentence that may be stored and logged: servers repeat their input, including addresses and passwords. */
function wordsOf(error: unknown, recipient: string, credentials: Credentials): string {
  let words = error instanceof Error ? error.message : String(error);
  for (const secret of secretsOf(credentials)) words = words.replaceAll(patternOf(secret), '[redacted]');
  return oneLine(words.replaceAll(recipient, '[recipient]'), longestReason);
}

/** The password in plain text, and as the login methods send it. */
function secretsOf(credentials: Credentials): string[] {
  if (credentials === undefined) return [];
  const { user, password } = credentials;
  if (/^[\s\p{Cc}]*$/u.test(password)) return [];
  const encoded = [password, `\0${user}\0${password}`].map((text) => Buffer.from(text).toString('base64'));
  return [password, ...encoded].toSorted((one, other) => other.length - one.length);
}

/** Servers and the mail library turn tabs and line ends into blanks, and drop those at the ends. */
function patternOf(secret: string): RegExp {
  const words = secret.split(/[\s\p{Cc}]+/u).filter((word) => word !== '');
  return new RegExp(
    words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)).join(String.raw`[\s\p{Cc}]+`),
    'gu',
  );
}
