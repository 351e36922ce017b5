import { counted, durationInWords } from '@callout/pipeline/notify/text/words.rules';

// Sentences common to the status of an installation and the mail to its operators.

/** Events wait to be matched. @param ageMs since the oldest of them was accepted. */
export function pendingEventsSentence(ageMs: number): string {
  return `The oldest event was accepted ${durationInWords(ageMs)} ago and is not matched yet.`;
}

/** A key is missing. @param secrets the number of secrets that the key encrypts. */
export function missingKeySentence({ keyId, secrets }: { readonly keyId: string; readonly secrets: number }): string {
  return `SECRET_KEYS lacks the key ${keyId}: ${counted(secrets, 'webhook secret is', 'webhook secrets are')} encrypted with it, and callouts of those webhooks wait.`;
}

/** A transaction of any program for whose locks statements of Callout wait. */
export interface BlockingTransaction {
  /** Of its process in PostgreSQL. */
  readonly pid: number;
  /** The name that the program gave; empty: no name, or not visible. */
  readonly program: string;
  /** Where the program runs; null: on the same machine, or not visible. */
  readonly host: string | null;
  /** How many statements wait for it, and the longest for how long. */
  readonly waiting: number;
  readonly waitedMs: number;
}

/** Others wait for a transaction. */
export function blockingSentence({ pid, program, host, waiting, waitedMs }: BlockingTransaction): string {
  const who = program === '' ? 'a program without a name' : program;
  const from = host === null ? '' : `, from ${host}`;
  return `A transaction of ${who} (process ${pid} of PostgreSQL${from}) has kept ${counted(waiting, 'statement')} waiting for ${durationInWords(waitedMs)}.`;
}

/** Waiting things, and since when the oldest waits; null when nothing waits. */
export interface Waiting {
  readonly count: number;
  readonly oldestDateTime: Date | null;
}

/** What operators and owners of webhooks have not been notified of, apart from mail. */
export interface WaitingMessages {
  /**
   * What happened to webhooks, and is no event of WebhookHealth yet. Occurrences of a tenant that is being moved do not
   * count.
   */
  readonly waitingHealthEvents: Waiting;
  /** Messages about alerts of the installation that OPERATOR_ALERT_URL has not taken. */
  readonly waitingOperatorMessages: Waiting;
}

/** What happened to webhooks has no event of WebhookHealth yet. @param ageMs since the oldest of it happened. */
export function lateHealthEventsSentence(count: number, ageMs: number): string {
  return `${counted(count, 'event')} of WebhookHealth ${count === 1 ? 'waits' : 'wait'} to be made, the oldest for ${durationInWords(ageMs)}.`;
}

/** OPERATOR_ALERT_URL takes no messages. @param ageMs since the oldest was stored. */
export function lateOperatorMessagesSentence(count: number, ageMs: number): string {
  return `OPERATOR_ALERT_URL has not taken ${counted(count, 'message')} about alerts of the installation, the oldest for ${durationInWords(ageMs)}.`;
}

/** Mail that the mail server refuses. */
export interface RefusedMail {
  readonly count: number;
  /** The last response of the server; null: unknown. */
  readonly lastError: string | null;
}

/** The mail server refuses mail. @param ageMs the time since the last accepted mail. */
export function refusedMailSentence({ count, lastError }: RefusedMail, ageMs: number): string {
  const cause = lastError === null ? '' : ` The last error: ${lastError}`;
  return `No mail has been sent for ${durationInWords(ageMs)}; ${counted(count, 'mail is', 'mails are')} waiting.${cause}`;
}
