import { z } from 'zod';
import type { OperationTemplate } from '../http/operation/operation-schema.ts';
import { guid, headers, moment, text, told, whole } from '../http/operation/wire-types.ts';
import {
  longestLeaseS,
  longestLifeS,
  longestReason,
  longestRetryS,
  longestWaitS,
  mostCallouts,
  mostWords,
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
        'From now on the webhook is deleted when nothing fetches its callouts for so long, each fetch with it begins anew: for webhooks of programs that may crash. Null or absent: as it was.',
      )
      .optional(),
  })
  .meta({ id: 'PullRequest' });

const pulledCallouts = z
  .object({
    items: z
      .array(
        z.object({
          ackID: guid.describe('What to acknowledge it with: the name of this lease.'),
          calloutID: guid.describe('The id of the callout: its webhook-id.'),
          headers: headers.describe('The headers that a request would have had, signatures included.'),
          body: text.describe('The body that a request would have had: its exact text, which is what is signed.'),
          leaseUntilDateTime: moment.describe('Until then no other request gets it.'),
        }),
      )
      .describe('The callouts, in the order of their numbers; empty: nothing was due in time.'),
    ...told,
  })
  .meta({ id: 'PulledCallouts' });

const pullWords = z
  .object({
    acks: z.array(ackID).max(mostWords).nullable().describe('Callouts that were taken, by their ackID.').optional(),
    nacks: z
      .array(
        z.union([
          ackID,
          z.object({
            ackID: ackID.describe('Its ackID.'),
            reason: text.max(longestReason).nullable().describe('Why, in words: the delivery log shows it.').optional(),
            retryAfterSeconds: whole
              .min(1)
              .max(longestRetryS)
              .nullable()
              .describe('The wait before the next attempt; null or absent: that of the retry schedule.')
              .optional(),
          }),
        ]),
      )
      .max(mostWords)
      .nullable()
      .describe('Callouts that were not taken: by their ackID, or with what else there is to say.')
      .optional(),
  })
  .meta({ id: 'PullWords' });

const pullResults = z
  .object({
    items: z
      .array(
        z.object({
          ackID: text.describe('As it was given.'),
          status: z
            .enum(['acked', 'nacked', 'lapsed', 'unknown'])
            .describe(
              'What counts: acked, it is delivered; nacked, the attempt failed; lapsed, the lease had ended or the callout was taken back; unknown, no callout of this webhook was handed out with it.',
            ),
          retryAfterSeconds: whole
            .nullable()
            .describe('The wait before the next attempt, of a callout that was nacked now; else null.'),
        }),
      )
      .describe('One for each, acks first.'),
    ...told,
  })
  .meta({ id: 'PullResults' });

export type PullResults = z.infer<typeof pullResults>;

export const pullOperation: OperationTemplate = {
  id: 'pull{One}Callouts',
  summary: 'Fetch callouts of {one}',
  description:
    'For a webhook with the webhookUrl pull: — its callouts are not sent, and wait to be fetched. Each is handed out with the exact body and headers that a request would have had, and must be acknowledged within its lease, or the attempt counts as failed and it is handed out again later. Of one record only one callout is handed out at a time. When nothing is due the answer waits for waitSeconds. Several programs may fetch: each callout goes to one of them.',
  body: { schema: pullRequest, example: { ...pullDefaults }, isOptional: true },
  isWarned: true,
  answers: { 200: { description: 'The callouts.', schema: pulledCallouts } },
  conflict: 'The webhookUrl is not pull:, or the webhook is not active.',
};

export const ackOperation: OperationTemplate = {
  id: 'ack{One}Callouts',
  summary: 'Tell what became of fetched callouts of {one}',
  description:
    'acks are delivered, as by an answer 200. nacks failed: they are handed out again after the wait of the retry schedule, until their attempts are used up. The answer tells for each what counts; the same request may be repeated for 24 hours.',
  body: {
    schema: pullWords,
    example: {
      acks: ['01971f2e-6c00-7000-8000-000000000001'],
      nacks: [{ ackID: '01971f2e-6c00-7000-8000-000000000002', reason: 'the queue is full', retryAfterSeconds: 30 }],
    },
  },
  isWarned: true,
  answers: { 200: { description: 'What counts, for each.', schema: pullResults } },
};
