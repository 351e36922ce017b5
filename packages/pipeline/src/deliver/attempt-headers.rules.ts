import type { CalloutAction } from '@callout/domain/event/event';
import { calloutHeaders, type SecretKeys } from './sign.rules.ts';

/** The data of a callout that the headers of its request contain. */
export interface CalloutOfAttempt {
  readonly id: string;
  readonly kind: 'event' | 'deactivation' | 'test';
  readonly action: CalloutAction;
  /** The eventID as callers know it; null for a test and a deactivation call. */
  readonly eventId: string | null;
}

/** One attempt to deliver a callout. */
export interface AttemptToSign {
  readonly secretKeys: SecretKeys;
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
  { id, kind, action, eventId }: CalloutOfAttempt,
  { secretKeys, number, body, now, userAgent, traceParent }: AttemptToSign,
): Record<string, string> {
  return calloutHeaders({
    secretKeys,
    calloutId: id,
    attemptNumber: number,
    action: action === 'Deactivated' ? undefined : action,
    eventId: eventId ?? undefined,
    body,
    now,
    userAgent,
    isTest: kind === 'test',
    traceParent,
  });
}
