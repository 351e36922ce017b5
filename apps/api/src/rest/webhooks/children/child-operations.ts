import type { z } from 'zod';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { spacedWords } from '@callout/domain/catalogue/names';
import type { WholeWrite } from '@callout/domain/metadata/field';
import { recordOperations, type DescribedCollection } from '../../../http/operation/collection-operations.ts';
import { supportedField } from '../../../http/operation/example-values.ts';
import { bodySchema, recordSchema } from '../../../http/operation/field-schemas.ts';
import { capital, namesOf, singular } from '../../../http/operation/names.ts';
import { collectionTags } from '../../../http/operation/tags.ts';
import { childCollections, type ChildKind } from './child-kinds.ts';

interface ChildSchemas {
  readonly record: z.ZodType;
  readonly bodies: Readonly<Record<WholeWrite | 'update', z.ZodType>>;
}

const madeSchemas = new WeakMap<EntityDefinition, Map<ChildKind, ChildSchemas>>();

/**
 * The bodies and responses about the children of one kind. Made once for an entity: the creates of webhooks refer to
 * them too, and a component of the document is one schema.
 */
export function childSchemas(entity: EntityDefinition, kind: ChildKind): ChildSchemas {
  const ofEntity = madeSchemas.get(entity) ?? new Map<ChildKind, ChildSchemas>();
  madeSchemas.set(entity, ofEntity);
  const schemas = ofEntity.get(kind) ?? makeSchemas(entity, kind);
  ofEntity.set(kind, schemas);
  return schemas;
}

function makeSchemas(entity: EntityDefinition, kind: ChildKind): ChildSchemas {
  const name = singular(childCollections(entity)[kind.kind]);
  const fields = kind.fields(entity, 'underWebhook', []);
  return {
    record: recordSchema(name, fields),
    bodies: {
      create: bodySchema(`${name}Create`, fields, 'create'),
      update: bodySchema(`${name}Update`, fields, 'update'),
      // The subject of a child is fixed, so a full update need not repeat it.
      replace: bodySchema(`${name}Replace`, fields, 'update'),
    },
  };
}

/**
 * The children of one kind in the API's description: under their webhook, and at the root, where not all can be done.
 */
export function describedChildren(entity: EntityDefinition, kind: ChildKind) {
  const collection = childCollections(entity)[kind.kind];
  const one = spacedWords(entity.singular);
  const names = namesOf(collection);
  const { record } = childSchemas(entity, kind);
  const underWebhook: DescribedCollection = {
    record,
    hasVersions: true,
    names: {
      ...names,
      one: `${singular(kind.segment)}Of${entity.webhookSingular}`,
      many: `${kind.segment}Of${entity.webhookSingular}`,
    },
    tags: collectionTags(one, {
      name: `${capital(one)} webhook fields`,
      group: 'Subscribe',
      description: `The fields that trigger a callout of a ${one} webhook or are included in it, and the resources whose changes it ignores.`,
    }),
  };
  const rootTwin: DescribedCollection = { record, hasVersions: true, names, tags: collectionTags(one) };
  return { underWebhook, rootTwin };
}

const conflict = 'The webhook has such a child already.';

/** The API's description of creating, reading, changing and deleting children under their webhook. */
export function childOperations(entity: EntityDefinition, kind: ChildKind, described: DescribedCollection) {
  const operations = recordOperations(described);
  const { bodies } = childSchemas(entity, kind);
  const flags = { isSubscribedField: true, isDisplayAlwaysField: true };
  return {
    create: operations.create({ schema: bodies.create, example: targetExample(entity, kind) }, { conflict }),
    update: operations.update({ schema: bodies.update, example: flags }),
    replace: operations.replace(
      { schema: bodies.replace, example: flags },
      {
        description: 'Booleans that the body leaves out become false. What the record is about cannot be changed.',
      },
    ),
    read: operations.read(),
    remove: operations.remove(),
  };
}

/** The same at the root, where the body names the webhook, which may not be there. */
export function rootTwinOperations(entity: EntityDefinition, kind: ChildKind, described: DescribedCollection) {
  const operations = recordOperations(described);
  const example = { webhookID: 1, ...targetExample(entity, kind, true) };
  return {
    create: operations.create(
      { schema: childSchemas(entity, kind).bodies.create, required: ['webhookID'], example },
      { conflict, namesRecord: true, description: 'The body names the webhook by webhookID.' },
    ),
    read: operations.read(),
  };
}

/** Under a webhook and at the root not the same, so that one can be tried after the other. */
function targetExample(entity: EntityDefinition, { kind }: ChildKind, isTwin = false) {
  if (kind === 'excludedResources') return { resourceID: isTwin ? 2 : 1 };
  if (kind === 'udfFields') return { udfField: isTwin ? 'Region' : 'Tier', isSubscribedField: true };
  return { fieldID: supportedField(entity, isTwin ? 3 : 2).fieldID, isSubscribedField: true };
}
