import type { ReceiverHealth } from './breaker.rules.ts';
import type { NotificationContent } from '../notify/write/notification.rules.ts';
import type { NewOccurrence } from '../health/occurrence.rules.ts';
import type { Attempt, Settlement } from './settlement.rules.ts';

/** A row of the error log: a callout that failed. */
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
  /** Identifies the occasion, so that there is one mail and not two. */
  occasion: string;
  content: NotificationContent<'error'>;
}

/** UTF-16 units of a text in the error log. */
const longestText = 8000;
/** Maximum UTF-16 units of a response that are shown. */
const shownAnswer = 1000;

/** The error log row of a callout that fails. `body`: that of the callout, as it was sent. */
export function errorLogEntry({ callout, attempt, problem }: Settlement, body: string | undefined): ErrorLogEntry {
  return {
    webhookKey: callout.webhookKey,
    sequenceNumber: callout.sequenceNumber,
    errorMessage: cut(`Attempt ${attempt.number} failed: ${problem ?? ''}${answerOf(attempt)}`),
    payload: cut(body ?? ''),
  };
}

/** The notification about it. `health`: that of its receiver, after this attempt. */
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
    // Not the id of the callout: a redelivered callout may fail again on another day.
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

/** The same for webhooks on `WebhookHealth`, which get each callout, and not one a day. */
export function failedCallout({ callout, attempt, problem }: Settlement, health: ReceiverHealth | null): NewOccurrence {
  return {
    webhookKey: callout.webhookKey,
    occurrence: 'calloutFailed',
    subject: 'delivery',
    facts: {
      calloutID: callout.id,
      eventID: callout.eventId ?? null,
      sequenceNumber: callout.sequenceNumber,
      recordID: callout.recordId,
      attempts: attempt.number,
      reason: problem,
      since: health?.failingSince ?? null,
      failedInRow: health?.failedInRow ?? 0,
    },
  };
}

function eventTimeOf(body: string | undefined): string | null {
  const { EventTime } = JSON.parse(body ?? '{}') as { EventTime?: string };
  return EventTime ?? null;
}

/**
 * The beginning of the response, where receivers explain what was wrong; its status is in the sentence
 * before it. Accepts any bytes: invalid UTF-8 becomes U+FFFD, and control characters and line ends become blanks.
 */
function answerOf({ responseBody }: Pick<Attempt, 'responseBody'>): string {
  // A character has at most three bytes for each of its UTF-16 units.
  const text = responseBody?.subarray(0, 3 * shownAnswer).toString('utf8') ?? '';
  const shown = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  if (shown === '') return '';
  const notText = shown.split('\uFFFD').length - 1;
  if (notText * 10 > shown.length) return ' The answer is not text.';
  return ` The answer begins: ${shown.slice(0, shownAnswer)}`;
}

/** At most 8000 UTF-16 units, without half a surrogate pair at the end. */
function cut(text: string): string {
  return text.slice(0, longestText).replace(/[\uD800-\uDBFF]$/u, '');
}
