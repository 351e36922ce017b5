import { z } from 'zod';
import { failedReasons } from '@callout/domain/callout/failed-reason';
import { anyId, text, whole } from '../../http/operation/wire-types.ts';

// The query strings of lists, as the API describes them: values arrive as texts, and are read where used.

const period = {
  since: text.describe('Created at or after this time, such as 2026-01-15T09:30:00Z.').optional(),
  until: text.describe('Created before this time.').optional(),
};
const recordID = whole.min(0).meta({ format: 'int64' }).describe('The id of the record.').optional();
const action = text.describe('Create, Update, Delete or Deactivated; several are separated by commas.').optional();
const entityType = text.describe('The type of entity, such as Account.').optional();
export const webhookGUIDParameter = text.describe('The GUID of a webhook.');

const ofCallouts = {
  state: text
    .describe('waiting, held, due, delivered, failed or cancelled; several are separated by commas.')
    .optional(),
  recordID,
  action,
  kind: text.describe('event, deactivation or test; several are separated by commas.').optional(),
  reason: text
    .describe(
      `Why they failed, one or more of ${failedReasons.join(', ')}, separated by commas; only with the state failed, which is then the default.`,
    )
    .optional(),
  calloutID: text.describe('Only these callouts: their ids, separated by commas, 200 at most.').optional(),
  isFailing: text.describe('true: only open callouts whose last attempt failed.').optional(),
  ...period,
};

/** Of the callouts of a webhook. */
export const calloutParameters = z.object({
  ...ofCallouts,
  fromSequence: whole.min(0).describe('The lowest sequence number.').optional(),
  toSequence: whole.min(0).describe('The highest sequence number.').optional(),
});

/** Filters of the callouts of all webhooks of a tenant: sequence numbers mean nothing across webhooks. */
export const tenantCalloutParameters = z.object({
  ...ofCallouts,
  webhookGUID: webhookGUIDParameter.optional(),
  entityType,
});

/** Of changes of configuration. */
export const changeParameters = z.object(period);

/** Of what failed. */
export const failedParameters = z.object({ ...period, webhookGUID: webhookGUIDParameter.optional(), entityType });

export const eventParameters = z.object({
  eventID: text.describe('The eventID of its caller, or that of the service.').optional(),
  entityType,
  action,
  recordID,
  resourceID: anyId.describe('The id of the resource that acted.').optional(),
  ...period,
});
