import { z } from 'zod';
import { actions } from '@callout/domain/event';
import {
  anyId,
  flag,
  headers,
  message,
  moment,
  names,
  text,
  warningKeys,
  webhookGUID,
  webhookID,
} from '../../../http/operation/wire-types.ts';
import { rule, ruleValues } from '../event-schemas.ts';
import { conditionResult } from './condition-result.ts';

const values = z.record(text, z.unknown());

/** A hypothetical event. */
export const simulatedEvent = z
  .object({
    entityType: text.describe('The entity of the webhook, or absent').optional(),
    action: z.enum(actions).describe('What was done to the record.'),
    id: anyId.describe('The id of the record.'),
    resourceID: anyId.describe('Who acted; absent = the resource of the caller').optional(),
    eventTime: moment.describe('When it was done, in UTC; the moment of the request when it is left out.').optional(),
    fields: values.describe('The values after the event, by name.').optional(),
    userDefinedFields: values.describe('The values of user-defined fields after the event, by name.').optional(),
    changedFields: names.describe('The names of the fields that changed.').optional(),
  })
  .meta({ id: 'SupposedEvent' });

/**
 * The body of a simulation of a webhook that is not stored, and a hypothetical event; without an id it is about a sample
 * record.
 */
export function newWebhookSimulationRequest(draft: z.ZodType): z.ZodType {
  return z.object({ webhook: draft, event: sampleEvent.optional() });
}

const sampleEvent = simulatedEvent
  .partial()
  .meta({ id: 'SampleEvent' })
  .describe(
    'What happens. Without an id, a sample record: sample values of all fields that the webhook names, and in an update all that it subscribes to have changed. The action is Update unless given.',
  );

const outcome = z.object({
  isEvent: flag.describe('Whether there is an event at all; false: the update changes nothing.'),
  owed: flag.describe('Whether the webhook gets a callout.'),
  rule: rule.nullable(),
  message,
  rules: ruleValues.describe('Each rule with its outcome, in the order in which they are applied.'),
  condition: conditionResult
    .nullable()
    .describe('Each part of the condition, with the value that it sees; null: the webhook has none.'),
  changedFields: names.describe('The names of the fields that changed.'),
  changedUserDefinedFields: names.describe('The names of the user-defined fields that changed.'),
  subscribedFields: names.describe('The names of the fields that the webhook subscribes to.'),
  subscribedUserDefinedFields: names.describe('The names of the user-defined fields that the webhook subscribes to.'),
  firedFields: names.describe('The names of the changed fields that the webhook subscribes to.'),
  firedUserDefinedFields: names.describe(
    'The names of the changed user-defined fields that the webhook subscribes to.',
  ),
  request: z
    .object({
      method: z.literal('POST').describe('The method of the request.'),
      url: text.describe('The address that would be called.'),
      headers: headers.describe('The headers of the request, signatures redacted.'),
      body: text.describe('The body, exactly as it is signed and sent.'),
    })
    .nullable()
    .describe('The request that would be made; null: none.'),
  ...warningKeys,
});

/** The effect of an event on a webhook. */
export const simulation = z.object({ webhookID, webhookGUID, ...outcome.shape }).meta({ id: 'Simulation' });

/** The same of a webhook that is not stored, which has no id. */
export const newWebhookSimulation = outcome.meta({ id: 'NewWebhookSimulation' });

/** Whether a webhook gets callouts. */
export const readiness = z
  .object({
    webhookID,
    webhookGUID,
    isActive: flag.describe('Whether changes make callouts for it.'),
    isReady: flag.describe('Whether it has a field, a user-defined one too, or subscribes to deleted records alone.'),
    getsCallouts: flag.describe('Whether callouts are sent to it now.'),
    reasons: z
      .array(
        z.object({
          code: z
            .enum([
              'inactive',
              'ownerInactive',
              'noFieldRecord',
              'subscribedToNothing',
              'noSubscribedField',
              'conditionFieldGone',
              'secretKeyMissing',
              'receiverPaused',
              'certificateExpired',
              'certificateExpires',
              'receiverFailing',
              'notFetched',
              'held',
            ])
            .describe('The reason, for programs.'),
          message,
          blocks: flag.describe('Whether no callout is sent while this lasts'),
        }),
      )
      .describe('Each reason why not, or why they are late.'),
  })
  .meta({ id: 'Readiness' });
