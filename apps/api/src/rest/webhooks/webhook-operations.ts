import { z } from 'zod';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { webhookHealthType } from '@callout/domain/catalogue/webhook-health';
import { spacedWords } from '@callout/domain/catalogue/names';
import { nestedChildFields, webhookFields, webhookFieldsOf } from '@callout/webhooks/input/webhook-fields';
import type { FieldTable } from '@callout/domain/metadata/field';
import { recordOperations, type DescribedCollection } from '../../http/operation/collection-operations.ts';
import { supportedField } from '../../http/operation/example-values.ts';
import { bodySchema, recordSchema } from '../../http/operation/field-schemas.ts';
import { capital, namesOf } from '../../http/operation/names.ts';
import type { BodySchema } from '../../http/operation/operation-schema.ts';
import { collectionTags } from '../../http/operation/tags.ts';
import { childSchemas } from './children/child-operations.ts';
import { childKinds } from './children/child-kinds.ts';

// Webhooks of all entities are alike, except for the children of a create, and for those on `WebhookHealth`.
const ofMost = schemasOf('', webhookFields);
const ofHealth = schemasOf('Health', webhookFieldsOf({ entityType: webhookHealthType }));

function schemasOf(which: string, table: FieldTable) {
  return {
    record: recordSchema(`${which}Webhook`, table),
    update: bodySchema(`${which}WebhookUpdate`, table, 'update'),
    replace: bodySchema(`${which}WebhookReplace`, table, 'replace'),
  };
}

const schemasFor = ({ entityType }: EntityDefinition) => (entityType === webhookHealthType ? ofHealth : ofMost);

/** The webhooks of an entity in the API's description. */
export function describedWebhooks(entity: EntityDefinition): DescribedCollection {
  const { singular, webhookCollection } = entity;
  const one = spacedWords(singular);
  const names = namesOf(webhookCollection);
  const tags = collectionTags(one, {
    name: capital(names.manyInWords),
    group: 'Subscribe',
    description: `Which receivers get changes of a ${one}, where, and of which.`,
  });
  return { names, tags, record: schemasFor(entity).record, hasVersions: true };
}

const conflict =
  'Too many webhooks of this entity, or active ones of it, an inactive owner, or a child that is given twice.';

/** The API's description of creating, reading, changing and deleting the webhooks of an entity. */
export function webhookOperations(entity: EntityDefinition, described: DescribedCollection) {
  const operations = recordOperations(described);
  return {
    create: operations.create(webhookCreate(entity), {
      conflict,
      description:
        'Fields, user-defined fields and excluded resources may be included: everything is stored, or nothing.',
    }),
    update: operations.update(
      { schema: schemasFor(entity).update, example: { notificationEmailAddress: 'ops@example.com' } },
      { conflict },
    ),
    replace: operations.replace(
      {
        schema: schemasFor(entity).replace,
        example: { ...settingsExample(entity), sendThresholdExceededNotification: true },
      },
      {
        conflict,
        description:
          'Subscriptions that the body leaves out become false, an absent address becomes empty. An absent secretKey stays.',
      },
    ),
    read: operations.read({ description: 'The secret is never returned: secretKey reads as asterisks.' }),
    remove: operations.remove({
      description: 'Its open callouts are cancelled, and its deactivationUrl gets a call.',
    }),
  };
}

/** The body of a preview: that of an update, and children that replace the stored ones. */
export function webhookPreviewBody(entity: EntityDefinition): BodySchema {
  return {
    schema: webhookDraft(entity),
    example: { condition: { op: 'exist', field: supportedField(entity, 0).name } },
  };
}

const drafts = new WeakMap<EntityDefinition, z.ZodType>();

/** A webhook of which nothing has to be given: one that is not stored, or what a preview changes of a stored one. */
export function webhookDraft(entity: EntityDefinition): z.ZodType {
  const knownDraft = drafts.get(entity);
  if (knownDraft !== undefined) return knownDraft;
  const name = `Supposed${entity.webhookSingular}`;
  const draft = bodySchema(name, webhookFieldsOf(entity), 'draft', childrenOf(entity)).describe(
    'The body of a create of which nothing is required, such as the secret. isActive is true unless given.',
  );
  drafts.set(entity, draft);
  return draft;
}

function webhookCreate(entity: EntityDefinition): BodySchema {
  return {
    schema: bodySchema(`${entity.webhookSingular}Create`, webhookFieldsOf(entity), 'create', childrenOf(entity)),
    example: webhookExample(entity),
  };
}

/** The lists of children in a body. */
function childrenOf(entity: EntityDefinition): Record<string, z.ZodType> {
  const kinds = childKinds.filter((child) => child.isOf(entity));
  const children = kinds.map((child) => {
    const { description } = nestedChildFields[child.kind];
    return [child.kind, z.array(childSchemas(entity, child).bodies.create).describe(description).optional()];
  });
  return Object.fromEntries(children) as Record<string, z.ZodType>;
}

/** The body of a create. */
export function webhookExample(entity: EntityDefinition) {
  return {
    ...settingsExample(entity),
    secretKey: 'a secret of 10 characters or more',
    fields: [
      { field: supportedField(entity, 0).name, isSubscribedField: true },
      { field: supportedField(entity, 1).name, isDisplayAlwaysField: true },
    ],
  };
}

function settingsExample({ singular }: EntityDefinition) {
  return {
    name: `crm.${singular}.Update`,
    webhookUrl: 'https://hooks.example.com/callouts',
    deactivationUrl: 'https://hooks.example.com/deactivated',
    isActive: true,
    isSubscribedToUpdateEvents: true,
  };
}
