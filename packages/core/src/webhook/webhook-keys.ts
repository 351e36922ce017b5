import { knownKeys } from '../input/fold-keys.ts';
import { childKeys, updateIdKeys } from './child-input.ts';
import { webhookShape } from './webhook.ts';

// Clients send back what they have read, so what reads show is known as well, although writes ignore some of it.

const childIds = { ...updateIdKeys, webhookID: null };

/** The keys of the children of webhooks that mean something in a body or in an item. */
export const knownChildKeys = {
  fields: knownKeys({ ...childIds, ...childKeys.fields }),
  udfFields: knownKeys({ ...childIds, ...childKeys.udfFields }),
  excludedResources: knownKeys({ ...childIds, ...childKeys.excludedResources }),
};

/** The keys of a webhook that mean something in a body or in an item. */
export const knownWebhookKeys = knownKeys({
  ...updateIdKeys,
  webhookGUID: null,
  isReady: null,
  ownerResourceID: null,
  ...Object.fromEntries(Object.keys(webhookShape).map((key) => [key, null])),
  fields: { ...childIds, ...childKeys.fields },
  udfFields: { ...childIds, ...childKeys.udfFields },
  excludedResources: { ...childIds, ...childKeys.excludedResources },
});
