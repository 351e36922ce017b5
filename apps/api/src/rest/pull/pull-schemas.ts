import { z } from 'zod';
import type { OperationTemplate } from '../../http/operation/operation-schema.ts';
import { guid, headers, moment, text, warningKeys, whole } from '../../http/operation/wire-types.ts';
import {
  longestLeaseS,
  longestLifeS,
  longestReason,
  longestRetryS,
  longestWaitS,
  mostCallouts,
  mostAcks,
  pullDefaults,
  shortestLeaseS,
  shortestLifeS,
} from './pull-body.ts';

const ackID = text.min(1).max(100);

const pullRequest = z
  .object({
    max: whole
      .min(1)
      .max(mostCallouts)
      .nullable()
      .describe(`Callouts at most; null or absent: ${pullDefaults.max}.`)
      .optional(),
    waitSeconds: whole
      .min(0)
      .max(longestWaitS)
      .nullable()
      .describe(`How long to wait when nothing is due; null or absent: ${pullDefaults.waitSeconds}.`)
      .optional(),
    leaseSeconds: whole
      .min(shortestLeaseS)
      .max(longestLeaseS)
      .nullable()
      .describe(`How long the callouts are kept from others; null or absent: ${pullDefaults.leaseSeconds}.`)
      .optional(),
    expireSeconds: whole
      .min(shortestLifeS)
      .max(longestLifeS)
      .nullable()
      .describe(
        'Delete the webhook once its callouts have not been fetched for this long after this request; for webhooks of programs that may crash. Null or absent: no change.',
      )
      .optional(),
  })
  .meta({ id: 'PullRequest' });

const pulledCallouts = z
  .object({
    items: z
      .array(
        z.object({
          ackID: guid.describe('Identifies this lease; acknowledge the callout with it.'),
          calloutID: guid.describe('The id of the callout: its webhook-id.'),
          headers: headers.describe('The headers of the request that would have been sent, with signatures.'),
          body: text.describe('The body of the request that would have been sent: the exact text that is signed.'),
          leaseUntilDateTime: moment.describe('Until then, no other request gets this callout.'),
        }),
      )
      .describe('The callouts, in the order of their sequence numbers; empty if nothing became due in time.'),
    ...warningKeys,
  })
  .meta({ id: 'PulledCallouts' });

const pullAcknowledgements = z
  .object({
    acks: z.array(ackID).max(mostAcks).nullable().describe('The ackIDs of callouts that were accepted.').optional(),
    nacks: z
      .array(
        z.union([
          ackID,
          z.object({
            ackID: ackID.describe('Its ackID.'),
            reason: text.max(longestReason).nullable().describe('The reason, which the delivery log shows.').optional(),
            retryAfterSeconds: whole
              .min(1)
              .max(longestRetryS)
              .nullable()
              .describe('The wait before the next attempt; null or absent: that of the retry schedule.')
              .optional(),
          }),
        ]),
      )
      .max(mostAcks)
      .nullable()
      .describe('Callouts that were not accepted: their ackIDs, or objects with more details.')
      .optional(),
  })
  .meta({ id: 'PullAcknowledgements' });

const pullAcknowledgementResults = z
  .object({
    items: z
      .array(
        z.object({
          ackID: text.describe('The ackID as it was given.'),
          status: z
            .enum(['acked', 'nacked', 'lapsed', 'unknown'])
            .describe(
              'What counts. acked: it is delivered; nacked: the attempt failed; lapsed: the lease had ended, or the callout was cancelled or sent again; unknown: no callout of this webhook was handed out with this ackID.',
            ),
          retryAfterSeconds: whole
            .nullable()
            .describe('The wait before the next attempt of a callout that this request nacked; otherwise null.'),
        }),
      )
      .describe('One result for each ackID, acks first.'),
    ...warningKeys,
  })
  .meta({ id: 'PullAcknowledgementResults' });

export type PullAcknowledgementResults = z.infer<typeof pullAcknowledgementResults>;

export const pullOperation: OperationTemplate = {
  id: 'pull{One}Callouts',
  summary: 'Fetch callouts of {one}',
  description:
    'For a webhook with the webhookUrl pull:, whose callouts are not sent but wait to be fetched. Each has the exact body and headers of the request that would have been sent, and must be acknowledged within its lease; otherwise the attempt counts as failed, and the callout is handed out again later. Only one callout of a record is handed out at a time. If nothing is due, the answer waits for up to waitSeconds. Several programs can fetch: each callout goes to one of them.',
  body: { schema: pullRequest, example: { ...pullDefaults }, isOptional: true },
  isWarned: true,
  responses: { 200: { description: 'The callouts.', schema: pulledCallouts } },
  conflict: 'The webhookUrl is not pull:, or the webhook is not active.',
};

export const ackOperation: OperationTemplate = {
  id: 'ack{One}Callouts',
  summary: 'Acknowledge fetched callouts of {one}',
  description:
    'Callouts under acks are delivered, as with an answer 200. Those under nacks have failed: they are handed out again after the wait of the retry schedule, until their attempts are used up. The answer says what counts for each; the same request can be repeated for 24 hours.',
  body: {
    schema: pullAcknowledgements,
    example: {
      acks: ['01971f2e-6c00-7000-8000-000000000001'],
      nacks: [{ ackID: '01971f2e-6c00-7000-8000-000000000002', reason: 'the queue is full', retryAfterSeconds: 30 }],
    },
  },
  isWarned: true,
  responses: { 200: { description: 'The result for each ackID.', schema: pullAcknowledgementResults } },
};
