import { counted, durationInWords } from '../mail/text/words.ts';

// What the status of an installation and the mail to its operators say alike.

/** Events wait to be matched. @param ageMs since the oldest of them was accepted. */
export function pendingEventsSentence(ageMs: number): string {
  return `The oldest event was accepted ${durationInWords(ageMs)} ago and is not matched yet.`;
}

/** A key is missing. @param secrets that are encrypted with it. */
export function missingKeySentence({ keyId, secrets }: { readonly keyId: string; readonly secrets: number }): string {
  return `SECRET_KEYS lacks the key ${keyId}: ${counted(secrets, 'webhook secret is', 'webhook secrets are')} encrypted with it, and callouts of those webhooks wait.`;
}

/** Mail that the mail server does not take. */
export interface RefusedMail {
  readonly count: number;
  /** What the server answered last; null: nothing is known. */
  readonly lastError: string | null;
}

/** The mail server does not take mail. @param ageMs since it last took one. */
export function refusedMailSentence({ count, lastError }: RefusedMail, ageMs: number): string {
  const said = lastError === null ? '' : ` The last error: ${lastError}`;
  return `No mail has been sent for ${durationInWords(ageMs)}; ${counted(count, 'mail is', 'mails are')} waiting.${said}`;
}
