import { z } from 'zod';
import { actions } from '@callout/domain/event';
import {
  anyId,
  fieldText,
  flag,
  headers,
  message,
  moment,
  names,
  text,
  warningKeys,
  webhookID,
  whole,
} from '../../../http/operation/wire-types.ts';
import { openCallout } from '../callouts/callout-schemas.ts';
import { rule } from '../event-schemas.ts';
import { conditionResult } from './condition-result.ts';

const values = z.record(text, fieldText).nullable();

/** How the newest events would be decided before and after a change of the webhook. */
const comparison = z.object({
  events: whole.describe('How many events were judged: the newest of the entity, at most 100.'),
  calloutsBefore: whole.describe('How many events make a callout with the present webhook.'),
  calloutsAfter: whole.describe('How many events would make a callout after the change.'),
  changes: z
    .array(
      z.object({
        eventID: text.describe('The event.'),
        action: z.enum(actions).describe('What was done to the record.'),
        recordID: whole.describe('The id of the record.'),
        eventTime: moment.describe('When the record changed, in UTC.'),
        getsCalloutBefore: flag.describe('Whether the event makes a callout with the present webhook.'),
        ruleBefore: rule,
        getsCalloutAfter: flag.describe('Whether the event would make a callout after the change.'),
        ruleAfter: rule,
      }),
    )
    .describe('The events with a difference, newest first.'),
  bodyBefore: text
    .nullable()
    .describe('The body for the shown event with the present webhook; null: no callout, or no event yet.'),
});

/** What a webhook does with an event: the response of explain, simulate and preview. */
export const eventOutcome = z
  .object({
    eventID: text.nullable().describe('The id of the event from the caller, else from the service; null: not stored.'),
    webhookID: webhookID.nullable().describe('The id of the webhook; null: not stored.'),
    webhookGUID: text.describe('The GUID of the webhook, or words in place of a GUID while the webhook is not stored.'),
    isEvent: flag.describe('Whether there is an event at all; false: the update changes nothing.'),
    state: z
      .enum(['pending', 'matched'])
      .nullable()
      .describe('Whether a stored event has been matched with the webhooks; null: nothing was decided for good.'),
    getsCallout: flag.nullable().describe('Whether the webhook gets a callout; null: not decided yet.'),
    rule: rule.nullable(),
    message,
    hasConfigurationChanged: flag
      .nullable()
      .describe('Whether the webhook has been changed since the decision; null: decided now, or not yet.'),
    changedFields: names.describe('The names of the fields that changed.'),
    changedUserDefinedFields: names.describe('The names of the user-defined fields that changed.'),
    subscribedFields: names
      .nullable()
      .describe('The names of the fields that the webhook subscribes to now; null: the webhook was deleted.'),
    subscribedUserDefinedFields: names
      .nullable()
      .describe('The user-defined fields that the webhook subscribes to now; null: the webhook was deleted.'),
    firedFields: names
      .nullable()
      .describe('Changed and subscribed. As everything below: null when the configuration that decided is not known.'),
    firedUserDefinedFields: names.nullable().describe('Changed and subscribed user-defined fields.'),
    previousFields: values.describe(
      'What the callout says the changed fields were before, by name: null was known to be empty, and what was not known is left out. null: the webhook does not include previous values.',
    ),
    previousUserDefinedFields: values.describe(
      'The values of changed user-defined fields before, as in previousFields.',
    ),
    rules: z
      .array(
        z.object({
          rule,
          blocks: flag.describe('Whether the rule prevents the callout'),
          message,
        }),
      )
      .nullable()
      .describe('Each rule with the outcome, in the order of application.'),
    condition: conditionResult
      .nullable()
      .describe('Each part of the condition, with the compared value; null: the webhook has no condition.'),
    request: z
      .object({
        method: z.literal('POST').describe('The method of the request.'),
        url: text.describe('The address that is called.'),
        headers: headers.describe('The headers of the first attempt, signatures redacted.'),
        body: text.describe('The body, exactly as signed and sent.'),
      })
      .nullable()
      .describe('The request that the event makes by itself; null: no request.'),
    callout: openCallout,
    comparison: comparison.nullable().describe('Of a preview alone: the newest events before and after the change.'),
    ...warningKeys,
  })
  .meta({ id: 'EventOutcome' });

export type EventOutcome = z.infer<typeof eventOutcome>;

/** A hypothetical event. */
export const simulatedEvent = z
  .object({
    entityType: text.describe('The entity of the webhook, or absent').optional(),
    action: z.enum(actions).describe('What was done to the record.'),
    id: anyId.describe('The id of the record.'),
    resourceID: anyId.describe('Who acted; absent = the resource of the caller').optional(),
    eventTime: moment.describe('When the record changed, in UTC; by default the moment of the request.').optional(),
    fields: z.record(text, z.unknown()).describe('The values after the event, by name.').optional(),
    userDefinedFields: z
      .record(text, z.unknown())
      .describe('The values of user-defined fields after the event, by name.')
      .optional(),
    changedFields: names.describe('The names of the fields that changed.').optional(),
  })
  .meta({ id: 'SupposedEvent' });

/** A hypothetical event for a webhook that is not stored; without an id, about a sample record. */
export const sampleEvent = simulatedEvent
  .partial()
  .meta({ id: 'SampleEvent' })
  .describe(
    'What happens. Without an id, a sample record: sample values of all fields that the webhook names, and in an update all that it subscribes to have changed. The action is Update unless given.',
  );
