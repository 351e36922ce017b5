import { z } from 'zod';
import { actions } from '@callout/domain/event';
import { secretRotationFields } from '@callout/webhooks/input/secret-rotation';
import { calloutStates } from '@callout/domain/callout/callout-filter';
import { bodySchema } from '../../http/operation/field-schemas.ts';
import { flag, guid, moment, text, warningKeys, whole } from '../../http/operation/wire-types.ts';
import { calloutState, failedReason } from '../log/callouts/callout-schemas.ts';
import { webhookOfCallouts } from '../log/callouts/failed-routes.ts';

/** How many callouts a request can name. */
export const maxNamedCallouts = 1_000;
/** How many webhooks a request can name. */
export const maxNamedWebhooks = 500;
const sequenceNumber = z.int().min(0).meta({ format: 'int64' });
/** Tests have the record 0. */
const recordOrTest = z.int().min(0).meta({ format: 'int64' });

export const calloutRange = z
  .object({
    since: moment.nullable().describe('Created at or after this time; null or absent: from the first.').optional(),
    until: moment.nullable().describe('Created before this time; null or absent: to the last.').optional(),
    states: z.array(z.enum(calloutStates)).min(1).nullable().describe('Only callouts in any of the states.').optional(),
    fromSequence: sequenceNumber
      .nullable()
      .describe('The lowest sequence number; null or left out: from the first.')
      .optional(),
    toSequence: sequenceNumber
      .nullable()
      .describe('The highest sequence number; null or left out: to the last.')
      .optional(),
    recordID: recordOrTest.nullable().describe('Only callouts of a record; 0: of tests.').optional(),
    actions: z.array(z.enum(actions)).min(1).nullable().describe('Only callouts of some actions.').optional(),
    calloutIDs: z.array(guid).min(1).max(maxNamedCallouts).nullable().describe('Only these callouts.').optional(),
    reasons: z
      .array(failedReason)
      .min(1)
      .nullable()
      .describe('Only callouts that failed for any of the reasons; states is then failed.')
      .optional(),
  })
  .meta({ id: 'CalloutRange' });

const dryRun = flag
  .nullable()
  .describe('true: nothing is redelivered; the answer says how many would be, and what that means for their order.')
  .optional();

const include = z
  .array(z.enum(['inactive']))
  .min(1)
  .nullable()
  .describe(
    'inactive: also the changes since `since` that were made while the webhook was inactive. They are judged by its present configuration, and get callouts with new numbers.',
  )
  .optional();

export const redelivery = calloutRange.extend({ dryRun, include }).meta({ id: 'Redelivery' });

export const tenantRedelivery = calloutRange
  .omit({ fromSequence: true, toSequence: true })
  .extend({
    webhookGUIDs: z
      .array(guid)
      .min(1)
      .max(maxNamedWebhooks)
      .nullable()
      .describe('Only callouts of some webhooks.')
      .optional(),
    entityType: text.nullable().describe('Only callouts of webhooks on a type of entity, such as Account.').optional(),
    dryRun,
  })
  .meta({ id: 'TenantRedelivery' });

const order = z
  .object({
    older: whole.min(0).describe('How many are older than a callout of the same record that was delivered since.'),
    message: text.describe('What that means for the receivers, in words.'),
  })
  .meta({ id: 'RedeliveryOrder' });

export const secretRotation = bodySchema('SecretRotation', secretRotationFields, 'create');

export const queued = z
  .object({
    queued: whole.min(0).describe('How many callouts were reopened, or are sent now.'),
    following: whole
      .min(0)
      .describe('Of retryNow: how many callouts of the same records wait for those, and are sent as they end')
      .optional(),
    filter: calloutRange.describe('Which callouts were selected; only if there could be many').optional(),
    dryRun: flag.describe('true: nothing was redelivered, and queued is how many would be').optional(),
    replayed: whole
      .min(0)
      .describe('How many of them were made for changes while the webhook was inactive; only with include')
      .optional(),
    order: order.describe('What the redelivery means for the order of values').optional(),
    ...warningKeys,
  })
  .meta({ id: 'Queued' });

export const queuedOfTenant = z
  .object({
    queued: whole.min(0).describe('How many callouts were reopened, of all webhooks.'),
    filter: tenantRedelivery.omit({ dryRun: true }).describe('Which callouts were selected.'),
    dryRun: flag.describe('true: nothing was redelivered, and queued is how many would be'),
    order: order.describe('What the redelivery means for the order of values.'),
    webhooks: z
      .array(z.object({ ...webhookOfCallouts, queued: whole.min(0).describe('How many callouts were reopened.') }))
      .describe('Each webhook with callouts that were reopened.'),
    skipped: z
      .array(
        z.object({
          ...webhookOfCallouts,
          count: whole.min(0).describe('How many callouts were selected.'),
          message: text.describe('Why they are not redelivered, and what to do.'),
        }),
      )
      .describe('Each webhook with callouts that cannot be redelivered.'),
    ...warningKeys,
  })
  .meta({ id: 'QueuedOfTenant' });

export const cancelled = z
  .object({
    cancelled: whole.min(0).describe('How many callouts were cancelled.'),
    filter: calloutRange.describe('Which callouts were selected; only if there could be many').optional(),
    ...warningKeys,
  })
  .meta({ id: 'Cancelled' });

export const testResult = z
  .object({
    calloutID: guid.describe('The id of the callout.'),
    state: calloutState,
    attempt: z
      .object({
        startDateTime: moment.describe('When the request began.'),
        durationMs: whole.describe('How long the request took, in milliseconds.'),
        url: text.describe('The address that was called.'),
        status: whole.nullable().describe('The status of the answer; null: no answer came.'),
        failure: text.nullable().describe('Why the attempt failed and what to do, in words; null: delivered'),
        note: text.nullable().describe('Why the body of the answer was not read completely; null: read completely'),
      })
      .nullable()
      .describe('The request that was made; null: not in time, see notMadeBecause.'),
    notMadeBecause: text.nullable().describe('Why no request was made in time, in words; null: a request was made.'),
  })
  .meta({ id: 'TestResult' });

export type TestResult = z.infer<typeof testResult>;
