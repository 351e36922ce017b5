import { describeAnswer, type BodyCut } from './answers.ts';

/** Why an attempt got no response, for programs; the sentence beside it is for people. */
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
  /** The response is not HTTP, or its headers are too large. */
  'invalidResponse',
  /** The stored target is no longer a permitted URL. */
  'invalidTarget',
  /** The process had no free connection for the host, and the receiver was not called. */
  'busy',
  /** The operator's proxy for outgoing calls cannot be used, so the receiver was not called. */
  'proxyUnavailable',
  /** No token for the call could be had from the token endpoint of the webhook. */
  'tokenFailed',
  /** This process stopped before the response came. */
  'aborted',
  /** The program that fetches the callouts refused the callout. */
  'nacked',
  /** The callout was fetched, and not acknowledged before the lease ended. */
  'leaseLapsed',
  /** The callout was not fetched for as long as callouts are kept. */
  'notFetched',
  /** Anything else; the sentence has the details. */
  'other',
] as const;

export type AttemptFailureReason = (typeof attemptFailureReasons)[number];

/** The receiver responded with a status line and headers. */
export interface AnsweredOutcome {
  readonly kind: 'answered';
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** At most the first 64 KiB, as received: never decoded, may be any bytes. */
  readonly body: Buffer;
  /** Why the body was not read completely; null when it was. */
  readonly bodyCut: BodyCut | null;
  readonly durationMs: number;
}

/** There was no response. */
export interface FailedOutcome {
  readonly kind: 'failed';
  readonly reason: AttemptFailureReason;
  /** A sentence for the delivery log. */
  readonly message: string;
  readonly durationMs: number;
  /** The wait in seconds that was requested by a program which fetches callouts. */
  readonly retryAfterS?: number;
}

/** The outcome of one HTTP request: an expected outcome is a value, a 500 as well as a refused connection. */
export type AttemptOutcome = AnsweredOutcome | FailedOutcome;

/** Success is a 2xx status; nothing else is, including redirects. */
export function isDelivered(outcome: AttemptOutcome): boolean {
  return outcome.kind === 'answered' && outcome.status >= 200 && outcome.status <= 299;
}

const notMade: ReadonlySet<AttemptFailureReason> = new Set(['busy', 'aborted', 'proxyUnavailable']);

/**
 * Whether the process did not make the call, for a reason of the process: the callout is rescheduled, and there is no
 * attempt.
 */
export function isNotMade(outcome: AttemptOutcome): boolean {
  return outcome.kind === 'failed' && notMade.has(outcome.reason);
}

/** The problem and its remedy, for people; null for a success. */
export function describeProblem(outcome: AttemptOutcome): string | null {
  return outcome.kind === 'failed' ? outcome.message : describeAnswer(outcome.status, outcome.headers);
}

/** Headers that would let a reader of the delivery log forge a callout. */
const signatures: ReadonlySet<string> = new Set(['x-hook-signature', 'webhook-signature']);

/** The headers of a callout as the delivery log stores and shows them: signatures are `<redacted>`. */
export function redactSignatures(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, signatures.has(name.toLowerCase()) ? '<redacted>' : value]),
  );
}
