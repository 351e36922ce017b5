import { knownKeys } from '../input/fold-keys.ts';
import { keysOf } from '../metadata/field-table.ts';
import { childFields } from './child-fields.ts';
import { nestedChildFields, webhookFields } from './webhook-fields.ts';

/** The known keys of the children of webhooks in a body. */
export const knownChildKeys = {
  fields: knownKeys(keysOf(childFields.fields)),
  udfFields: knownKeys(keysOf(childFields.udfFields)),
  excludedResources: knownKeys(keysOf(childFields.excludedResources)),
};

/** The known keys of a webhook in a body. */
export const knownWebhookKeys = knownKeys({ ...keysOf(webhookFields), ...keysOf(nestedChildFields) });
