import { isUtf8 } from 'node:buffer';
import { describeAnswer } from '@callout/domain/outcome/answers';
import { failedReasonOf } from '@callout/domain/callout/failed-reason';
import { isFailing, nextAttemptAt, type WaitsFor, waitsFor } from '../waits-for.rules.ts';
import type { CalloutDetails, LoggedAttempt, LoggedPause } from './callout-details.ts';
import type { LastAttempt, LoggedCallout } from './callout-rows.ts';
import { timeOfId } from '@callout/database/schema/ids';

/**
 * A callout in lists. Times are to the millisecond, since much may happen to a callout within a second.
 * @param ring the ids of the keys that can decrypt webhook secrets, if known.
 */
export function calloutItem(callout: LoggedCallout, ring?: readonly string[]) {
  const { id, kind, open: openRow } = callout;
  const waiting: WaitsFor | null = waitsFor(callout, ring);
  return {
    id,
    webhookID: callout.webhookId,
    webhookGUID: callout.webhookGuid,
    webhookName: callout.webhookName,
    entityType: callout.entityType,
    // Only callouts of events are about a record.
    recordID: kind === 'event' ? callout.recordId : null,
    action: callout.action,
    kind,
    state: callout.state,
    sequenceNumber: callout.sequenceNumber,
    eventID: callout.eventId,
    createDateTime: timeOfId(id).toISOString(),
    finishedDateTime: textOf(callout.finishedAt),
    attemptsMade: callout.attemptsMade,
    lastAttempt: lastAttemptItem(callout.lastAttempt),
    reason: callout.state === 'failed' && callout.lastAttempt ? failedReasonOf(callout.lastAttempt) : null,
    isFailing: isFailing(callout),
    isRedelivery: openRow?.isRedelivery ?? false,
    replayed: callout.isReplayed,
    nextAttemptDateTime: textOf(nextAttemptAt(callout)),
    waitsFor: waiting,
    mergedInto: callout.merge?.into ?? null,
  };
}

function lastAttemptItem(attempt: LastAttempt | null) {
  return (
    attempt && {
      startDateTime: attempt.startedAt.toISOString(),
      durationMs: attempt.durationMs,
      status: attempt.status,
      failureReason: attempt.failureReason,
    }
  );
}

/** A callout with both sides of every exchange. */
export function calloutDetailsItem(callout: CalloutDetails, ring?: readonly string[]) {
  return {
    ...calloutItem(callout, ring),
    cancelledBecause: callout.cancellation,
    mergedBecause: callout.merge?.message ?? null,
    body: callout.body,
    attempts: callout.attempts.map(attemptItem),
    pauses: callout.pauses.map(pauseItem),
  };
}

/** Both sides of one exchange. */
export function attemptItem(attempt: LoggedAttempt) {
  return {
    number: attempt.number,
    startDateTime: attempt.startedAt.toISOString(),
    durationMs: attempt.durationMs,
    url: attempt.url,
    requestHeaders: attempt.requestHeaders,
    status: attempt.status,
    responseHeaders: attempt.responseHeaders,
    ...bodyText(attempt.responseBody),
    failureReason: attempt.failureReason,
    failure: failureOf(attempt),
    note: noteOf(attempt),
    nextAttemptDateTime: textOf(attempt.nextAttemptAt),
  };
}

/**
 * Why an attempt failed, as text; null: it was delivered. The meaning of a response is not stored: it follows from
 * status and headers.
 */
export function failureOf({
  status,
  responseHeaders,
  failure,
}: Pick<LoggedAttempt, 'status' | 'responseHeaders' | 'failure'>): string | null {
  return status === null ? failure : describeAnswer(status, responseHeaders ?? {});
}

/** A note on a response: why the body was not read to the end. */
export function noteOf({ status, failure }: Pick<LoggedAttempt, 'status' | 'failure'>): string | null {
  return status === null ? null : failure;
}

/** The stored part of a response. */
const KEPT_BYTES = 65_536;
/** Bytes of a character that was cut in two. */
const MOST_CUT_BYTES = 3;

/** The beginning of a response: as text where it is UTF-8, else in base64. */
export function bodyText(body: Buffer | null): {
  responseBody: string | null;
  responseBodyEncoding: 'utf-8' | 'base64' | null;
} {
  if (body === null) return { responseBody: null, responseBodyEncoding: null };
  const mayBeCut = body.length >= KEPT_BYTES;
  for (let cut = 0; cut <= (mayBeCut ? MOST_CUT_BYTES : 0); cut += 1) {
    const whole = body.subarray(0, body.length - cut);
    if (isUtf8(whole)) return { responseBody: whole.toString('utf8'), responseBodyEncoding: 'utf-8' };
  }
  return { responseBody: body.toString('base64'), responseBodyEncoding: 'base64' };
}

function pauseItem({ at, change, cause, detail }: LoggedPause) {
  const what = change === 'paused' ? 'The webhook was paused' : 'The pause of the webhook ended';
  return {
    changeDateTime: at.toISOString(),
    change,
    cause,
    message: detail === null ? `${what}.` : `${what}: ${detail}`,
  };
}

function textOf(moment: Date | null): string | null {
  return moment === null ? null : moment.toISOString();
}
