import { describeAnswer, type BodyCut } from './answers.ts';

/** Why an attempt got no answer, for programs; the sentence beside it is for people. */
export const attemptFailureReasons = [
  /** The host has no address, or name resolution failed. */
  'dnsFailed',
  /** The address guard refused the target. */
  'addressForbidden',
  /** No connection: refused, unreachable, network down. */
  'connectFailed',
  /** The TLS handshake failed or the certificate is not trusted. */
  'tlsFailed',
  /** No complete status line and headers within the time limit. */
  'timeout',
  /** The connection ended before status line and headers were complete. */
  'connectionLost',
  /** What came is not HTTP, or its headers are too large. */
  'invalidResponse',
  /** The stored target is no longer a permitted URL. */
  'invalidTarget',
  /** This process had no connection to spare for the host: the receiver never heard of it. */
  'busy',
  /** This process stopped before the answer came. */
  'aborted',
  /** The program that fetches the callouts did not take it. */
  'nacked',
  /** It was fetched, and nothing was heard of it before its lease ended. */
  'leaseLapsed',
  /** It was not fetched for as long as callouts are kept for that. */
  'notFetched',
  /** Anything else; the sentence says what. */
  'other',
] as const;

export type AttemptFailureReason = (typeof attemptFailureReasons)[number];

/** A receiver answered with a status line and headers. */
export interface AnsweredOutcome {
  readonly kind: 'answered';
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** At most the first 64 KiB, as received: never decoded, may be any bytes. */
  readonly body: Buffer;
  /** Why there is more of the body than was read; null: it is whole. */
  readonly bodyCut: BodyCut | null;
  readonly durationMs: number;
}

/** No answer came. */
export interface FailedOutcome {
  readonly kind: 'failed';
  readonly reason: AttemptFailureReason;
  /** Plain words for the delivery log. */
  readonly message: string;
  readonly durationMs: number;
  /** The wait that a program which fetches callouts asked for, in seconds. */
  readonly retryAfterS?: number;
}

/** What came of one HTTP request: an expected outcome is a value, a 500 as much as a refused connection. */
export type AttemptOutcome = AnsweredOutcome | FailedOutcome;

/** Success is a 2xx status; nothing else is, redirects included. */
export function isDelivered(outcome: AttemptOutcome): boolean {
  return outcome.kind === 'answered' && outcome.status >= 200 && outcome.status <= 299;
}

/** Whether the receiver was never asked, for a reason of this process: such a call is rescheduled, and is no attempt. */
export function isNotMade(outcome: AttemptOutcome): boolean {
  return outcome.kind === 'failed' && (outcome.reason === 'busy' || outcome.reason === 'aborted');
}

/** What went wrong and what to do about it, in words for people; null for a success. */
export function describeProblem(outcome: AttemptOutcome): string | null {
  return outcome.kind === 'failed' ? outcome.message : describeAnswer(outcome.status, outcome.headers);
}
