import type { Catalogue } from '../catalogue/catalogue.ts';
import { picklistOfWords, type FieldTable } from './field.ts';

/** The longest message and payload in an error log, in UTF-16 units. */
export const MAX_ERROR_LOG_TEXT = 8000;

/** Clients from before there was `webhookID` know the webhooks of these two entities by keys of their own. */
const webhookKeys = new Map([
  ['Account', 'accountWebhookID'],
  ['Contact', 'contactWebhookID'],
]);

/** The key under which an error log repeats the webhook's id; undefined where missing. */
export function errorLogWebhookKey(entityType: string): string | undefined {
  return webhookKeys.get(entityType);
}

const readOnly = { isReadOnly: true } as const;

/** The fields of a WebhookEventErrorLog. */
export const errorLogFields = {
  id: { ...readOnly, dataType: 'long', description: 'The id of the row.' },
  webhookID: { ...readOnly, dataType: 'integer', description: 'The id of the webhook.' },
  webhookGUID: {
    ...readOnly,
    dataType: 'string',
    length: 100,
    description: 'The GUID of the webhook: the Guid in its callouts.',
  },
  entityType: { ...readOnly, dataType: 'string', description: 'The type of entity, such as Account.' },
  sequenceNumber: {
    ...readOnly,
    dataType: 'long',
    description: 'The number of the callout within the webhook, from 1 without gaps.',
  },
  createDateTime: { ...readOnly, dataType: 'datetime', description: 'When it was made.' },
  errorMessage: {
    ...readOnly,
    dataType: 'string',
    length: MAX_ERROR_LOG_TEXT,
    description: 'Why the last attempt failed, in words.',
  },
  payload: {
    ...readOnly,
    dataType: 'string',
    length: MAX_ERROR_LOG_TEXT,
    description: 'The body that was not delivered.',
  },
  accountWebhookID: {
    ...readOnly,
    dataType: 'integer',
    referenceEntityType: 'CompanyWebhook',
    description: 'The webhookID again, of a company webhook.',
  },
  contactWebhookID: {
    ...readOnly,
    dataType: 'integer',
    referenceEntityType: 'ContactWebhook',
    description: 'The webhookID again, of a contact webhook.',
  },
} as const satisfies FieldTable;

/** The same with the entities of an installation, for the description; in metadata the field is a plain text. */
export function describedErrorLogFields({ watched }: Catalogue): FieldTable {
  const types = watched.map(({ entityType }) => entityType);
  return {
    ...errorLogFields,
    entityType: { ...errorLogFields.entityType, picklistValues: picklistOfWords(types) },
  };
}
