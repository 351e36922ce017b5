import { webhookHealthType } from '@callout/domain/catalogue/webhook-health';
import { knownKeys } from '@callout/domain/input/fold-keys';
import type { FieldTable } from '@callout/domain/metadata/field';
import { keysOf } from '@callout/domain/metadata/field-table';
import { itemOrder } from '../settings/settings.ts';
import { shownProperties } from '../settings/shown-properties.ts';
import { childFields } from './child-fields.ts';
import { fieldOf } from './setting-fields.ts';

/** All fields of a webhook on `WebhookHealth`, in the order in which items have them. */
export const healthWebhookFields: FieldTable = Object.fromEntries(
  itemOrder.map((one) => (typeof one === 'string' ? [one, shownProperties[one]] : [one.key, fieldOf(one)])),
);

const ofHealth = new Set<string>(
  itemOrder.flatMap((one) => (typeof one !== 'string' && 'only' in one ? [one.key] : [])),
);

/** The fields of all other webhooks. */
export const webhookFields: FieldTable = Object.fromEntries(
  Object.entries(healthWebhookFields).filter(([key]) => !ofHealth.has(key)),
);

/** The fields of the webhooks of an entity, in the order in which items have them. */
export function webhookFieldsOf({ entityType }: { readonly entityType: string }): FieldTable {
  return entityType === webhookHealthType ? healthWebhookFields : webhookFields;
}

/** The children that the body of a create may contain, beside the fields. */
export const nestedChildFields = {
  fields: {
    dataType: 'list',
    only: 'create',
    items: childFields.fields,
    description: 'The fields that it begins with.',
  },
  udfFields: {
    dataType: 'list',
    only: 'create',
    items: childFields.udfFields,
    description: 'The user-defined fields that it begins with.',
  },
  excludedResources: {
    dataType: 'list',
    only: 'create',
    items: childFields.excludedResources,
    description: 'The resources whose changes it leaves out, to begin with.',
  },
} as const satisfies FieldTable;

/** The known keys of the children of webhooks in a body. */
export const knownChildKeys = {
  fields: knownKeys(keysOf(childFields.fields)),
  udfFields: knownKeys(keysOf(childFields.udfFields)),
  excludedResources: knownKeys(keysOf(childFields.excludedResources)),
};

/** The known keys of a webhook in a body. */
export const knownWebhookKeys = knownKeys({ ...keysOf(healthWebhookFields), ...keysOf(nestedChildFields) });
