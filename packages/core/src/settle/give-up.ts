import type { ReceiverHealth } from '../deliver/breaker.ts';
import type { NotificationContent } from '../mail/notification.ts';
import type { Attempt, Settlement } from './settlement.ts';

/** A row of the error log: a callout that was given up. */
export interface ErrorLogEntry {
  webhookKey: number;
  sequenceNumber: number;
  errorMessage: string;
  payload: string;
}

/** The mail about a callout that used up its attempts. */
export interface ErrorNotification {
  tenantId: number;
  webhookKey: number;
  kind: 'error';
  /** What makes it one mail and not two. */
  occasion: string;
  content: NotificationContent<'error'>;
}

/** UTF-16 units of a text in the error log. */
const longestText = 8000;
/** UTF-16 units of an answer that are shown. */
const shownAnswer = 1000;

/** What the error log says of a callout that is given up. `body`: of the callout, as it was sent. */
export function errorLogEntry({ callout, attempt, problem }: Settlement, body: string | undefined): ErrorLogEntry {
  return {
    webhookKey: callout.webhookKey,
    sequenceNumber: callout.sequenceNumber,
    errorMessage: cut(`Attempt ${attempt.number} failed: ${problem ?? ''}${answerOf(attempt)}`),
    payload: cut(body ?? ''),
  };
}

/** What the mail about it says. `health`: of its receiver, after this attempt. */
export function errorNotification(
  { callout, attempt, problem }: Settlement,
  health: ReceiverHealth | null,
  body: string | undefined,
  deactivateAfter: number,
): ErrorNotification {
  return {
    tenantId: callout.tenantId,
    webhookKey: callout.webhookKey,
    kind: 'error',
    // Not the callout: redelivered, it may be given up on another day again.
    occasion: attempt.id,
    content: {
      calloutId: callout.id,
      sequenceNumber: callout.sequenceNumber,
      recordId: callout.recordId,
      attempts: attempt.number,
      lastFailure: problem,
      failingSince: health?.failingSince ?? null,
      failedInRow: health?.failedInRow ?? 0,
      deactivateAfter,
      eventTime: eventTimeOf(body),
    },
  };
}

function eventTimeOf(body: string | undefined): string | null {
  const { EventTime } = JSON.parse(body ?? '{}') as { EventTime?: string };
  return EventTime ?? null;
}

/**
 * The beginning of the answer, since that is where receivers say what they did not like; its status is in the sentence
 * before it. Any bytes: what is no text becomes U+FFFD, and control characters, line ends too, become blanks.
 */
function answerOf({ responseBody }: Pick<Attempt, 'responseBody'>): string {
  // A character has three bytes for each of its UTF-16 units at most.
  const text = responseBody?.subarray(0, 3 * shownAnswer).toString('utf8') ?? '';
  const shown = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  if (shown === '') return '';
  const notText = shown.split('\uFFFD').length - 1;
  if (notText * 10 > shown.length) return ' The answer is not text.';
  return ` The answer begins: ${shown.slice(0, shownAnswer)}`;
}

/** At most 8000 UTF-16 units, and no half of a pair at the end. */
function cut(text: string): string {
  return text.slice(0, longestText).replace(/[\uD800-\uDBFF]$/u, '');
}
