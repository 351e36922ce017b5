import { flag, idValue, ownId, text, type FieldTable } from '@callout/domain/metadata/field';

const ids = {
  id: { ...ownId, description: 'The id of the record.' },
  webhookID: { ...idValue, description: 'The id of the webhook.' },
} as const satisfies FieldTable;

const flags = {
  isSubscribedField: { ...flag, description: 'Whether a change of the field makes a callout.' },
  isDisplayAlwaysField: { ...flag, description: 'Whether the value of the field goes along with every callout.' },
} as const satisfies FieldTable;

/** A name in a body, in place of an id. */
const nameOf = <const Id extends string>(insteadOf: Id) => ({ ...text(255), only: 'bodies', insteadOf }) as const;

/** How bodies identify the target of a child: by its id, or by a name instead. */
export const childTargets = {
  fields: {
    fieldID: { ...idValue, requiredOf: ['create'], description: 'The number of the field.' },
    field: { ...nameOf('fieldID'), description: 'The name of the field, instead of its id.' },
  },
  udfFields: {
    udfFieldID: {
      ...idValue,
      requiredOf: ['create'],
      description: 'The id of the definition of the user-defined field.',
    },
    udfField: { ...nameOf('udfFieldID'), description: 'The name or label of the field, instead of its id.' },
    name: { ...nameOf('udfFieldID'), description: 'The same as udfField.' },
  },
  excludedResources: {
    resourceID: {
      ...idValue,
      requiredOf: ['create'],
      referenceEntityType: 'Resource',
      description: 'The resource whose changes make no callout.',
    },
  },
} as const satisfies Readonly<Record<string, FieldTable>>;

/** The fields of the children of webhooks, in the order of their metadata. */
export const childFields = {
  fields: { ...childTargets.fields, ...ids, ...flags },
  udfFields: { ...childTargets.udfFields, ...ids, ...flags },
  excludedResources: { ...childTargets.excludedResources, ...ids },
} as const satisfies Readonly<Record<string, FieldTable>>;
