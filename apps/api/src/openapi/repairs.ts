import { calloutStates } from '@callout/db';
import type { Descriptions } from './description.ts';
import { object, orNull, ref, type Json } from './json-schema.ts';

const inactive = 'The webhook is not active.';
const rangeText =
  'One key at least must have a value. since is part of the range and until is not; both ends of the sequence are. The answer tells which filter was applied.';

/** What can be done about the deliveries of the webhooks of every entity. */
export const repairDescriptions: Descriptions = {
  '/:id/redeliver': {
    POST: {
      summary: 'Send callouts of {one} again',
      description: `Those that failed or were cancelled, unless states says otherwise; open ones stay as they are. Same body, same webhook-id and the full retry schedule, to the present address with the present key. Those of a record go in the order of their numbers, and before any later one that is open. Thousands are opened some at a time; it may be repeated. ${rangeText}`,
      request: 'calloutRange',
      response: 'queued',
      conflict: inactive,
    },
  },
  '/:id/cancel': {
    POST: {
      summary: 'Cancel open callouts of {one}',
      description: `The next callout of each record goes out. One that is being sent is not broken off: if its receiver takes it, it ends as delivered. Tests and deactivation calls are not among them. ${rangeText}`,
      request: 'calloutRange',
      response: 'cancelled',
    },
  },
  '/:id/Callouts/:calloutID/redeliver': {
    POST: {
      summary: 'Send a callout of {one} again, however it ended',
      description: 'queued is 0 when it is open already.',
      response: 'queued',
      conflict: `${inactive.slice(0, -1)}, or the callout is a test or a deactivation call.`,
    },
  },
  '/:id/Callouts/:calloutID/cancel': {
    POST: {
      summary: 'Cancel an open callout of {one}',
      description: 'cancelled is 0 when it has ended already.',
      response: 'cancelled',
      conflict: 'The callout is a deactivation call.',
    },
  },
  '/:id/rotateSecret': {
    POST: {
      summary: 'Give {one} a new secret, with an overlap',
      description:
        'For overlapHours the secret before signs webhook-signature too, and X-Hook-Signature alone. Rotating to the present secret only sets the end of the overlap anew; 0 ends it.',
      request: 'secretRotation',
      response: 'itemId',
    },
  },
  '/:id/test': {
    POST: {
      summary: 'Send a sample callout of {one} and wait for the answer',
      description:
        'An Update with Id 0 and SequenceNumber 0, with sample values of all fields of the webhook and the header X-Hook-Test: true; signed, sent once, counted nowhere. attempt is null when it was not made in time: the worker makes it later. 503 when no worker can be reached.',
      response: 'test',
      conflict: inactive,
    },
  },
};

const whole: Json = { type: 'integer' };
const sequence: Json = { type: ['integer', 'null'], format: 'int64', minimum: 0 };
const moment: Json = { type: 'string', format: 'date-time' };
const text: Json = { type: 'string' };
const applied: Json = { ...ref('CalloutRange'), description: 'Which callouts were meant; only where many could be' };

/** What those requests take and answer. */
export function repairSchemas(): Json {
  return {
    CalloutRange: object({
      since: orNull(moment),
      until: orNull(moment),
      states: { type: ['array', 'null'], items: { type: 'string', enum: calloutStates }, minItems: 1 },
      fromSequence: sequence,
      toSequence: sequence,
    }),
    SecretRotation: object(
      {
        secretKey: { type: 'string', minLength: 1, maxLength: 64 },
        overlapHours: { type: 'integer', minimum: 0, maximum: 168 },
      },
      ['secretKey', 'overlapHours'],
    ),
    Queued: object({ queued: { ...whole, minimum: 0 }, filter: applied }, ['queued']),
    Cancelled: object({ cancelled: { ...whole, minimum: 0 }, filter: applied }, ['cancelled']),
    TestResult: object(
      {
        calloutID: { type: 'string', format: 'uuid' },
        state: { type: 'string', enum: calloutStates },
        attempt: {
          anyOf: [
            object(
              {
                startDateTime: moment,
                durationMs: whole,
                url: text,
                status: orNull(whole),
                failure: {
                  ...orNull(text),
                  description: 'Why it failed and what to do about it, in words; null: it was delivered',
                },
                note: {
                  ...orNull(text),
                  description: 'Why the body of the answer was not read to its end; null: it was',
                },
              },
              ['startDateTime', 'durationMs', 'url', 'status', 'failure', 'note'],
            ),
            { type: 'null' },
          ],
        },
      },
      ['calloutID', 'state', 'attempt'],
    ),
  };
}
