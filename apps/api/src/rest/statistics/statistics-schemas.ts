import { z } from 'zod';
import { moment, text, webhookID, whole } from '../../http/operation/wire-types.ts';

const failures = z
  .object({
    status3xx: whole.describe('Answered with a redirect, which is not followed.'),
    status4xx: whole.describe('Answered with a status from 400 to 499.'),
    status5xx: whole.describe('Answered with a status from 500 to 599.'),
    timeout: whole.describe('Not answered in time.'),
    connection: whole.describe('Refused, not resolved, broken, or without a TLS connection that can be trusted.'),
    other: whole.describe('Failed otherwise, such as fetched and not acknowledged.'),
  })
  .meta({ id: 'FailedAttempts' });

const counts = {
  delivered: whole.describe('Callouts that the receiver accepted.'),
  failed: whole.describe('Callouts that used up their attempts, without tests and deactivation calls.'),
  attempts: whole.describe('Requests that were made, including tests and calls to deactivationUrl.'),
  failedAttempts: whole.describe('Requests that the receiver did not accept.'),
  failures: failures.describe('The same by their result; together they are failedAttempts.'),
  held: whole.nullable().describe('Callouts that the threshold held at the end of the time; null: not known.'),
  averageMs: whole.nullable().describe('Milliseconds until an answer, on average; null: there was none.'),
  p50Ms: whole.nullable().describe('Half of the answers took no longer, in milliseconds.'),
  p95Ms: whole.nullable().describe('95 of 100 answers took no longer, in milliseconds.'),
};

const point = z
  .object({ dateTime: moment.describe('The beginning of the minute or hour.'), ...counts })
  .meta({ id: 'DeliveryPoint' });
const group = z
  .object({
    entityType: text.nullable().describe('The type of entity, such as Account.'),
    webhookID: webhookID.nullable(),
    name: text.nullable().describe('The name of the webhook.'),
    ...counts,
  })
  .meta({ id: 'DeliveryGroup' });

const toDeliver = z
  .object({
    due: whole.describe('Callouts that could be sent now.'),
    dueSinceDateTime: moment.nullable().describe('Since when the first of those could be sent; null: there is none.'),
    later: whole.describe('Callouts that wait for the time of their next attempt.'),
    waiting: whole.describe('Callouts that wait for an earlier one of their record.'),
    held: whole.describe('Callouts that the threshold holds.'),
    failing: whole.describe('Of all of these, the callouts whose last attempt failed, and which are tried again.'),
    oldestDateTime: moment.nullable().describe('When the oldest open callout was created; null: none is open.'),
  })
  .meta({ id: 'CalloutsToDeliver' });

const statistics = (groups: z.ZodType) =>
  z.object({
    interval: z.enum(['minute', 'hour']).describe('How long each point is.'),
    fromDateTime: moment.describe('The beginning of the first point.'),
    toDateTime: moment.describe('The end of the last point.'),
    countedUntilDateTime: moment
      .nullable()
      .describe('Later deliveries are not counted yet; null: nothing is counted yet.'),
    totals: z.object(counts).meta({ id: 'DeliveryTotals' }).describe('The totals of all points.'),
    points: z.array(point).describe('One for each minute or hour, including those without a delivery.'),
    toDeliver: toDeliver.describe('The callouts that are open now.'),
    groups: z
      .array(groups)
      .describe('The same totals per group, the most attempts first; only with groupBy.')
      .optional(),
  });

/** Deliveries, and open callouts. */
export const deliveryStatistics = statistics(group).meta({ id: 'DeliveryStatistics' });

/** The statistics for operators, who may group by tenant. */
export const operatorStatistics = statistics(
  group
    .extend({ tenantID: whole.describe('Only with groupBy=tenant.').optional() })
    .meta({ id: 'OperatorDeliveryGroup' }),
).meta({ id: 'OperatorStatistics' });

export const periodParameters = {
  from: text.describe('The beginning, such as 2026-01-15T09:30:00Z; an hour ago unless given.').optional(),
  to: text.describe('The end; now unless given.').optional(),
  interval: text.describe('minute or hour; minute for up to 6 hours unless given.').optional(),
};
