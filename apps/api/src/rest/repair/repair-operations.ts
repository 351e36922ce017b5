import type { BodySchema, OperationSchema, OperationTemplate } from '../../http/operation/operation-schema.ts';
import { itemId } from '../../http/operation/wire-types.ts';
import { allCalloutsTag } from '../../http/operation/tags.ts';
import {
  calloutRange,
  cancelled,
  queued,
  queuedOfTenant,
  redelivery,
  secretRotation,
  tenantRedelivery,
  testResult,
} from './repair-schemas.ts';

const inactive = 'The webhook is not active.';
const rangeText =
  'At least one key must have a value. since is included and until is not; both ends of the sequence are included. The answer shows the filter that was applied.';
const range: BodySchema = {
  schema: calloutRange,
  example: { since: '2026-01-15T09:30:00Z', states: ['failed', 'cancelled'] },
};
const redeliveryRange: BodySchema = {
  schema: redelivery,
  example: { since: '2026-01-15T09:30:00Z', states: ['failed'], dryRun: true },
};
const opened = { 200: { description: 'How many were reopened.', schema: queued } };
const ended = { 200: { description: 'How many were cancelled.', schema: cancelled } };

export const redeliverMany: OperationTemplate = {
  id: 'redeliver{One}Callouts',
  summary: 'Send callouts of {one} again',
  description: `Failed and cancelled callouts, unless states says otherwise; open ones do not change. Same body, same webhook-id and the full retry schedule, with the URL and the secret that the webhook has now. Callouts for a record are sent in the order of their numbers, and before any later one that is open. order says how many of them are older than a callout of the same record that was delivered since; dryRun asks before anything is redelivered. With include, changes that were made while the webhook was inactive get callouts, too, behind those that are reopened. Large ranges are reopened in parts; the request may be repeated. ${rangeText}`,
  body: redeliveryRange,
  isWarned: true,
  responses: opened,
  conflict: inactive,
};

export const redeliverAll: OperationSchema = {
  id: 'redeliverCallouts',
  tag: allCalloutsTag,
  summary: 'Send callouts of several webhooks again',
  description: `As for one webhook, but failed callouts only unless states says otherwise. Callouts of inactive and deleted webhooks stay as they are, and skipped names these webhooks. It counts as one redelivery of the hour. ${rangeText}`,
  body: { schema: tenantRedelivery, example: { reasons: ['status5xx', 'timeout'], dryRun: true } },
  isWarned: true,
  responses: { 200: { description: 'How many were reopened.', schema: queuedOfTenant } },
};

const retried = { 200: { description: 'How many are sent now.', schema: queued } };

export const retryManyNow: OperationTemplate = {
  id: 'retry{One}CalloutsNow',
  summary: 'Send now what waits for its next attempt of {one}',
  description:
    'Open callouts whose last attempt failed are sent without waiting for the time of their next attempt, which counts as usual; the order per record, the threshold and the limits of the webhook hold. A paused webhook is tried at once, with one callout; the others follow when it is delivered. Callouts that are being sent, are held, or wait behind an earlier callout of their record do not change. An empty body selects all; since is included and until is not; both ends of the sequence are included. The answer shows the filter that was applied.',
  body: { schema: calloutRange, example: { recordID: 7 } },
  isWarned: true,
  responses: retried,
  conflict: inactive,
};

export const cancelMany: OperationTemplate = {
  id: 'cancel{One}Callouts',
  summary: 'Cancel open callouts of {one}',
  description: `The next callout of each record is sent. A call under way is not interrupted: if the receiver accepts the callout, the callout ends as delivered. Tests and deactivation calls are excluded. ${rangeText}`,
  body: range,
  isWarned: true,
  responses: ended,
};

export const redeliverOneOperation: OperationTemplate = {
  id: 'redeliver{One}Callout',
  summary: 'Send a callout of {one} again, however it ended',
  description:
    'queued is 0 if it is already open. order says whether it is older than a callout of the same record that was delivered since.',
  responses: opened,
  conflict: `${inactive.slice(0, -1)}, or the callout is a test or a deactivation call.`,
};

export const retryOneNowOperation: OperationTemplate = {
  id: 'retry{One}CalloutNow',
  summary: 'Send an open callout of {one} now',
  description:
    'Without waiting for the time of its next attempt. queued is 0 if it waits for something else, is being sent or has ended.',
  responses: retried,
  conflict: 'The webhook is not active, or the callout is a test.',
};

export const cancelOneOperation: OperationTemplate = {
  id: 'cancel{One}Callout',
  summary: 'Cancel an open callout of {one}',
  description: 'cancelled is 0 if it has already ended.',
  responses: ended,
  conflict: 'The callout is a deactivation call.',
};

export const rotateSecretOperation: OperationTemplate = {
  id: 'rotate{One}Secret',
  summary: 'Give {one} a new secret, with an overlap',
  description:
    'For overlapHours, webhook-signature also has a signature with the previous secret, and X-Hook-Signature uses only that one. Rotating to the current secret only changes the end of the overlap; 0 ends it.',
  body: {
    schema: secretRotation,
    example: { secretKey: 'another secret of 10 characters or more', overlapHours: 24 },
  },
  isWarned: true,
  version: 'changed',
  responses: { 200: { description: 'Done; the id of the record.', schema: itemId } },
};

export const testOperation: OperationTemplate = {
  id: 'test{One}',
  summary: 'Send a sample callout of {one} and wait for the answer',
  description:
    'An Update with Id 0 and SequenceNumber 0, with sample values of all fields of the webhook and the header X-Hook-Test: true; signed, sent once, not counted. attempt is null if it was not made in time: the worker makes it later. 503 if no worker can be reached.',
  responses: { 202: { description: 'Stored; with the result, if it was sent in time.', schema: testResult } },
  conflict: inactive,
};
