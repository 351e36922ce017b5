import { z } from 'zod';
import { actions } from '@callout/domain/event/event';
import { anyId, moment, names, text, warningKeys } from '../../http/operation/wire-types.ts';

const values = z.record(text, z.unknown());

/** A batch of events, about entities of these types. */
export function entityEventsSchema(entityTypes: readonly string[]) {
  const entityEvent = z
    .object({
      eventID: text
        .regex(/^[!-~]{1,100}$/)
        .describe('Unique per tenant; made when absent')
        .optional(),
      entityType: z.enum(entityTypes).describe('The type of entity, such as Account.'),
      action: z.enum(actions).describe('What was done to the record.'),
      id: anyId.describe('The id of the record.'),
      resourceID: anyId.describe('Who acted; absent = the resource of the caller').optional(),
      eventTime: moment.describe('When it was done, in UTC; the moment of the request when it is left out.').optional(),
      fields: values.describe('All fields of the record, or only the new values, by name').optional(),
      userDefinedFields: values.describe('The same for user-defined fields').optional(),
      changedFields: names.describe('Absent = compared with what is known of the record').optional(),
    })
    .meta({ id: 'EntityEvent' });
  return z
    .object({
      events: z.array(entityEvent).min(1).max(1000).describe('The events, in the order in which they happened.'),
    })
    .meta({ id: 'EntityEvents' });
}

export const entityEventResponses = z
  .object({
    items: z
      .array(
        z.object({
          eventID: text.describe('The id that its caller gave the event, else that of the service.'),
          status: z
            .enum(['accepted', 'duplicate', 'unchanged'])
            .describe('The result of the event: accepted, known already, or without any change.'),
          ...warningKeys,
        }),
      )
      .describe('One for each event, in the order given.'),
    ...warningKeys,
  })
  .meta({ id: 'EntityEventAnswers' });
