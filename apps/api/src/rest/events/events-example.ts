import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { exampleValues, supportedField } from '../../http/operation/example-values.ts';

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
