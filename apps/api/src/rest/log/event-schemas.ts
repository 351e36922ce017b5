import { z } from 'zod';
import { actions } from '@callout/domain/event';
import { verdictRules } from '@callout/pipeline/match/match.rules';
import {
  fieldText,
  anyId,
  flag,
  guid,
  message,
  moment,
  names,
  text,
  webhookGUID,
  webhookID,
  whole,
} from '../../http/operation/wire-types.ts';
import { openCallout } from './callouts/callout-schemas.ts';

export const rule = z.enum(verdictRules).describe('The first rule that failed; passed: no rule failed');

const callouts = z
  .object({
    made: whole.describe('How many callouts were made, including callouts that are no longer kept.'),
    open: whole.describe('Still to be delivered.'),
    delivered: whole.describe('Answered with a 2xx.'),
    failed: whole.describe('Whose attempts are used up.'),
    cancelled: whole.describe('Cancelled, also by a deactivation of the webhook.'),
    merged: whole.describe('Whose change went into another callout.'),
  })
  .describe('The callouts that the event made, by result.');

const values = z.record(z.string(), fieldText);

/** Events as the event log shows them: in a list, and a single event with the result. */
export function eventLogSchemas(entityTypes: readonly string[]) {
  const loggedEvent = z.object({
    eventID: text.describe('The id of the event from the caller, else from the service.'),
    serviceEventID: guid.describe('The id that the service gave the event.'),
    entityType: z.enum(entityTypes).describe('The type of entity, such as Account.'),
    action: z.enum(actions).describe('What was done to the record.'),
    recordID: anyId.describe('The id of the record.'),
    resourceID: anyId.describe('The resource that acted.'),
    eventTime: moment.describe('When the record changed, in UTC; by default the moment of the request.'),
    createDateTime: moment.describe('When the event was accepted.'),
    state: z.enum(['pending', 'matched']).describe('Whether the event has been matched with the webhooks.'),
  });
  const { eventID, createDateTime } = loggedEvent.shape;
  return {
    loggedEvent: loggedEvent.extend({ callouts }).meta({ id: 'LoggedEvent' }),
    loggedEventDetails: loggedEvent
      .partial()
      .extend({
        eventID,
        createDateTime,
        state: z
          .enum(['pending', 'matched', 'unchanged'])
          .describe('Whether the event has been matched with the webhooks, or changed nothing.'),
        changedFields: names.describe('The names of the fields that changed.').optional(),
        changedUserDefinedFields: names.describe('The names of the user-defined fields that changed.').optional(),
        fields: values.describe('The known values after the event, by name.').optional(),
        userDefinedFields: values.describe('The known values of user-defined fields after the event.').optional(),
        matchedDateTime: moment
          .nullable()
          .describe('When the event was matched with the webhooks; null: not yet.')
          .optional(),
        verdicts: z
          .array(
            z.object({
              webhookID,
              webhookGUID,
              webhookName: text.describe('The name of the webhook, which may be deleted.'),
              getsCallout: flag.describe('Whether the webhook gets a callout.'),
              rule,
              message,
              hasConfigurationChanged: flag.describe('Whether the webhook has been changed since the decision.'),
              callout: openCallout,
            }),
          )
          .describe('The result for each webhook of the entity.')
          .optional(),
      })
      .meta({ id: 'LoggedEventDetails' }),
  };
}
