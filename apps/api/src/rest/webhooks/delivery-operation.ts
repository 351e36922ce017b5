import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { spacedWords } from '@callout/domain/catalogue/names';
import { capital, namesOf } from '../../http/operation/names.ts';
import { operationOf, type OperationSchema, type OperationTemplate } from '../../http/operation/operation-schema.ts';

/** An operation about the deliveries of a webhook of this entity, in the API's description. */
export function deliveryOperation(entity: EntityDefinition, template: OperationTemplate): OperationSchema {
  const one = spacedWords(entity.singular);
  return operationOf(template, namesOf(entity.webhookCollection), {
    name: `${capital(one)} webhook deliveries`,
    group: 'Follow deliveries',
    description: `What ${one} webhooks were sent and why; sending again, cancelling, testing.`,
  });
}
