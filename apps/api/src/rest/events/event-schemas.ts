import { z } from 'zod';
import { actions } from '@callout/domain/event';
import { anyId, moment, names, text, warningKeys } from '../../http/operation/wire-types.ts';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { exampleValues, supportedField } from '../../http/operation/example-values.ts';

const values = z.record(text, z.unknown());

/** A batch of events, about entities of some types. */
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
      eventTime: moment.describe('When the record changed, in UTC; by default the moment of the request.').optional(),
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
          eventID: text.describe('The id of the event from the caller, else from the service.'),
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

/** A batch of events, about the first two entities. */
export function eventsExample({ watched }: Catalogue) {
  return {
    events: watched.slice(0, 2).map((entity, index) => ({
      eventID: `crm-20260115-${index + 1}`,
      entityType: entity.entityType,
      action: index === 0 ? 'Update' : 'Delete',
      id: 42 + index,
      resourceID: 1,
      eventTime: '2026-01-15T09:30:00Z',
      ...(index === 0 && { fields: exampleValues([supportedField(entity, 0), supportedField(entity, 1)]) }),
    })),
  };
}
