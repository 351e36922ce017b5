import { actions, type CalloutAction } from '@callout/domain/event/event';
import type { CalloutKind } from '@callout/domain/callout/callout-states';
import { redactSignatures } from '@callout/domain/outcome/outcome';
import { notSent, secretSignature } from '@callout/domain/outcome/stored-headers';
import { calloutHeaders, type SigningKeys, unsignedHeaders } from './sign.rules.ts';

/** The data of a callout that the headers of its request contain. */
export interface CalloutOfAttempt {
  readonly id: string;
  readonly kind: CalloutKind;
  readonly action: CalloutAction;
  /** The eventID as callers know it; null for a call that no event caused. */
  readonly eventId: string | null;
}

/** One attempt to deliver a callout. */
export interface AttemptToSign {
  readonly signingKeys: SigningKeys;
  /** From 1. */
  readonly number: number;
  /** The bytes that are sent, or handed out. */
  readonly body: Buffer;
  readonly now: Date;
  readonly userAgent: string;
  /** W3C Trace Context of this attempt; absent: it is not traced. */
  readonly traceParent?: string | undefined;
}

/** The headers of one attempt of a callout, the same whether it is sent or fetched. */
export function headersOfAttempt(
  callout: CalloutOfAttempt,
  { signingKeys, number, body, now, userAgent, traceParent }: AttemptToSign,
): Record<string, string> {
  return calloutHeaders({
    ...named(callout),
    signingKeys,
    attemptNumber: number,
    body,
    now,
    userAgent,
    traceParent,
  });
}

/**
 * The headers of an attempt as the log shows them, signatures redacted: those that callout and attempt say, and those
 * that are stored with the attempt (`storedHeaders`).
 */
export function loggedHeaders(
  callout: CalloutOfAttempt,
  { number, startedAt }: { readonly number: number; readonly startedAt: Date },
  stored: Readonly<Record<string, string>>,
): Record<string, string> {
  const { 'User-Agent': userAgent = '', traceparent: traceParent, [secretSignature]: ofSecret, ...others } = stored;
  const headers = unsignedHeaders({
    ...named(callout),
    attemptNumber: number,
    now: startedAt,
    userAgent,
    traceParent,
  });
  const signatures = { 'webhook-signature': '', ...(ofSecret !== notSent && { [secretSignature]: '' }) };
  return redactSignatures({ ...headers, ...signatures, ...others });
}

function named({ id, kind, action, eventId }: CalloutOfAttempt) {
  return {
    calloutId: id,
    action: actions.find((one) => one === action),
    eventId: eventId ?? undefined,
    isTest: kind === 'test',
  };
}
