import { z } from 'zod';
import { failedReasons } from '@callout/domain/callout/failed-reason';
import { attemptFailureReasons } from '@callout/domain/outcome/outcome';
import { actions, actionsWithoutEvent } from '@callout/domain/event';
import { calloutKinds, calloutStates } from '@callout/domain/callout/callout-filter';
import { changeCauses } from '@callout/database/changes/record-changes';
import {
  anyId,
  flag,
  guid,
  headers,
  message,
  moment,
  text,
  webhookGUID,
  webhookID,
  whole,
} from '../../../http/operation/wire-types.ts';

export const calloutState = z
  .enum(calloutStates)
  .describe('The state of the callout: waiting, held, due, delivered, failed, cancelled or merged.');
const sequenceNumber = whole.describe('The number of the callout within the webhook, from 1 without gaps.');
const calloutID = guid.describe('Also the webhook-id of its requests');

const mergedInto = z
  .object({ id: calloutID, sequenceNumber })
  .nullable()
  .describe('The callout of the record that carries the change; null: not merged, or nothing was left to send.');

/** The callout of an event, as the event log shows it. */
export const openCallout = z
  .object({ id: calloutID, sequenceNumber, state: calloutState, mergedInto })
  .nullable()
  .describe('The callout; null: no callout.');

const lastAttempt = z
  .object({
    startDateTime: moment.describe('When the request began.'),
    durationMs: whole.describe('How long the request took, in milliseconds.'),
    status: whole.nullable().describe('The status of the answer; null: no answer came.'),
    failureReason: z
      .enum(attemptFailureReasons)
      .nullable()
      .describe('Why no answer came, as a code; null: an answer came.'),
  })
  .meta({ id: 'LastAttempt' });

const attempt = z.object({
  number: whole
    .min(0)
    .describe('The number of the attempt, from 1; 0: a probe that failed, which does not count as an attempt.'),
  startDateTime: moment.describe('When the request began.'),
  durationMs: whole.describe('How long the request took, in milliseconds.'),
  url: text.describe('The address that was called.'),
  requestHeaders: headers.describe('The headers that were sent, signatures redacted.'),
  status: whole.nullable().describe('The status of the answer; null: no answer came.'),
  responseHeaders: headers.nullable().describe('The headers of the answer; null: no answer came.'),
  responseBody: text.nullable().describe('The first 64 KiB of the answer; null: no answer came.'),
  responseBodyEncoding: z
    .enum(['utf-8', 'base64'])
    .nullable()
    .describe('Whether responseBody is text or base64; null: no answer came.'),
  failureReason: z
    .enum(attemptFailureReasons)
    .nullable()
    .describe('Why no answer came, as a code; null: an answer came.'),
  failure: text.nullable().describe('Why the attempt failed and what to do, in words; null: delivered'),
  note: text.nullable().describe('Why the body of the answer was not read completely; null: read completely.'),
  nextAttemptDateTime: moment.nullable().describe('When the next attempt is due; null: no further attempt.'),
});

const pause = z.object({
  changeDateTime: moment.describe('When the webhook was paused or resumed.'),
  change: z.enum(['paused', 'resumed']).describe('What changed.'),
  cause: z.enum(changeCauses).describe('Why the webhook was paused or resumed.'),
  message,
});

const waitReason = z.enum([
  'earlierCallout',
  'threshold',
  'receiver',
  'rate',
  'nextAttempt',
  'answer',
  'worker',
  'fetching',
  'cancellation',
  'secretKey',
]);

const waitsFor = z
  .object({
    reason: waitReason.describe('What the callout waits for.'),
    message,
    sequenceNumber: whole
      .nullable()
      .describe('The number of the earlier callout in the way; null: the wait has another reason.'),
    since: moment.nullable().describe('Since when the callout waits for the reason; null: not known.'),
    until: moment.nullable().describe('The latest end of the wait; null: not known.'),
    cause: z
      .object({
        calloutID,
        sequenceNumber,
        path: text.describe('Where the callout is, below `/v1.0`.'),
        attemptsMade: whole.describe('How many requests were made for the callout.'),
        failure: text.nullable().describe('Why the last attempt failed, in words; null: no attempt was made.'),
        nextAttemptDateTime: moment.nullable().describe('When the next attempt is due; null: not known.'),
        reason: waitReason.nullable().describe('What the callout waits for.'),
      })
      .nullable()
      .describe(
        'The first open callout of the record, for which later callouts of the record wait; null: no callout is in the way.',
      ),
  })
  .meta({ id: 'Wait' })
  .nullable()
  .describe('Why the callout is not delivered yet; null after the end of the callout.');

const cancelledBecause = z
  .object({
    reason: z
      .enum(['deactivated', 'deleted', 'request'])
      .describe('Whether the webhook was deactivated or deleted, or a request cancelled the callout.'),
    message,
  })
  .nullable()
  .describe('Why the callout was cancelled; null: not cancelled.');

export const failedReason = z.enum(failedReasons).describe('A class of statuses, or the failureReason of an attempt.');

/** Callouts as the delivery log shows them: in a list, and a single callout with all details. */
export function calloutSchemas(entityTypes: readonly string[]) {
  const callout = z.object({
    id: calloutID,
    webhookID,
    webhookGUID,
    webhookName: text.describe('The name of the webhook, which may be deleted.'),
    entityType: z.enum(entityTypes).describe('The type of entity, such as Account.'),
    recordID: anyId.nullable().describe('The id of the record; null without an event.'),
    action: z
      .enum([...actions, ...actionsWithoutEvent])
      .describe('What was done to the record; Deactivated in a deactivation call.'),
    kind: z.enum(calloutKinds).describe('Whether the callout is about an event or a deactivation, or is a test.'),
    state: calloutState,
    sequenceNumber,
    eventID: text.nullable().describe('The event that caused the callout; null: no event.'),
    createDateTime: moment.describe('When the callout was made.'),
    finishedDateTime: moment.nullable().describe('When the callout ended; null: the callout is open.'),
    attemptsMade: whole.describe('How many attempts were made; probes that failed do not count.'),
    lastAttempt: lastAttempt.nullable().describe('The last request of the callout; null: no request was made.'),
    reason: failedReason.nullable().describe('Why the callout failed, by the last attempt; null: not failed.'),
    isFailing: flag.describe('The callout is open, and the last attempt failed.'),
    isRedelivery: flag.describe('The callout is open after a redelivery; false after the end of the callout'),
    replayed: flag.describe('The callout was made on request, for a change while the webhook was inactive.'),
    nextAttemptDateTime: moment.nullable().describe('When the next attempt is due; null: no further attempt.'),
    waitsFor,
    mergedInto,
  });
  return {
    callout: callout.meta({ id: 'Callout' }),
    exportedCallout: callout
      .extend({
        body: text.nullable().describe('The body, exactly as signed and sent; null: no longer stored.'),
        lastAttempt: attempt.nullable().describe('The last request of the callout; null: no request was made.'),
      })
      .meta({ id: 'ExportedCallout' }),
    calloutDetails: callout
      .extend({
        cancelledBecause,
        mergedBecause: text.nullable().describe('Why the callout was merged, in words; null: not merged.'),
        body: text.describe('The body, exactly as signed and sent.'),
        attempts: z.array(attempt).describe('Each request of the callout, oldest first.'),
        pauses: z.array(pause).describe('When the webhook was paused while the callout was open.'),
      })
      .meta({ id: 'CalloutDetails' }),
  };
}
