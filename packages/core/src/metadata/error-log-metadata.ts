import { describeField, describeReference, idMetadata, type FieldMetadata } from './field-metadata.ts';

/** The longest message and payload that an error log keeps, in UTF-16 units. */
export const MAX_ERROR_LOG_TEXT = 8000;

/** Clients from before there was `webhookID` know the webhooks of these two entities by keys of their own. */
const webhookKeys = new Map([
  ['Account', 'accountWebhookID'],
  ['Contact', 'contactWebhookID'],
]);

/** The key under which an error log repeats its webhook's id; undefined where it does not. */
export function errorLogWebhookKey(entityType: string): string | undefined {
  return webhookKeys.get(entityType);
}

const readOnly = { isReadOnly: true };
const longText = { isReadOnly: true, length: MAX_ERROR_LOG_TEXT };

/** The fields of a WebhookEventErrorLog. */
export const errorLogMetadata: readonly FieldMetadata[] = [
  idMetadata,
  describeField('webhookID', 'integer', readOnly),
  describeField('webhookGUID', 'string', { isReadOnly: true, length: 100 }),
  describeField('entityType', 'string', readOnly),
  describeField('sequenceNumber', 'long', readOnly),
  describeField('createDateTime', 'datetime', readOnly),
  describeField('errorMessage', 'string', longText),
  describeField('payload', 'string', longText),
  describeReference('accountWebhookID', 'integer', 'CompanyWebhook', readOnly),
  describeReference('contactWebhookID', 'integer', 'ContactWebhook', readOnly),
];
