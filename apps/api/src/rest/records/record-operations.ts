import { z } from 'zod';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { spacedWords } from '@callout/domain/catalogue/names';
import type { WholeWrite } from '@callout/domain/metadata/field';
import { requiredOf } from '@callout/domain/metadata/field-table';
import { recordFields } from '@callout/domain/metadata/record-fields';
import { recordOperations, type DescribedCollection } from '../../http/operation/collection-operations.ts';
import { exampleValues } from '../../http/operation/example-values.ts';
import { bodySchema, recordSchema } from '../../http/operation/field-schemas.ts';
import { capital, namesOf, namesUnder } from '../../http/operation/names.ts';
import type { BodySchema } from '../../http/operation/operation-schema.ts';
import { collectionTags, type Tag } from '../../http/operation/tags.ts';
import { text } from '../../http/operation/wire-types.ts';
import type { RecordPlace } from './record-place.ts';

const name = text.describe('The name of the field.');

const udfValue = z
  .object({
    name,
    value: text
      .nullable()
      .describe('As callouts have it: `"12"`, `"1.25"`, `"true"`, `"2025-09-15T15:10:00Z"`; null = empty.'),
  })
  .meta({ id: 'UserDefinedFieldValue' });

const udfInput = z
  .object({
    name,
    value: z
      .unknown()
      .meta({ oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }] })
      .describe('As text or as a JSON value: `"12"` or `12`; null = empty.')
      .optional(),
  })
  .meta({ id: 'UserDefinedFieldInput' });

/** The bodies and responses about the records of an entity. */
export interface RecordSchemas {
  readonly record: z.ZodType;
  readonly bodies: Readonly<Record<WholeWrite | 'update', z.ZodType>>;
}

/** The schemas of records, by the fields of their catalogue. */
export function recordSchemas(entity: EntityDefinition): RecordSchemas {
  const fields = recordFields(entity);
  const one = entity.singular;
  const udfs = (value: z.ZodObject): Record<string, z.ZodType> =>
    entity.hasUserDefinedFields
      ? { userDefinedFields: z.array(value).describe('The user-defined fields of the record.').optional() }
      : {};
  return {
    record: recordSchema(one, fields, udfs(udfValue)),
    bodies: {
      create: bodySchema(`${one}Create`, fields, 'create', udfs(udfInput)),
      update: bodySchema(`${one}Update`, fields, 'update', udfs(udfInput)),
      replace: bodySchema(`${one}Replace`, fields, 'replace', udfs(udfInput)),
    },
  };
}

/** The records of a place in the API's description. */
export function describedRecords({ entity, parent }: RecordPlace, { record }: RecordSchemas): DescribedCollection {
  const one = spacedWords(entity.singular);
  const main: Tag = {
    name: capital(spacedWords(entity.collection)),
    group: 'Report changes',
    description: `For products that keep their records here: each write that changes a ${one} is an event.`,
  };
  return parent === undefined
    ? { record, names: namesOf(entity.collection), tags: collectionTags(one, main) }
    : { record, names: namesUnder(entity.collection, parent.entity.singular), tags: collectionTags(one) };
}

/** The API's description of creating, reading, changing and deleting the records of a place. */
export function recordPlaceOperations(place: RecordPlace, schemas: RecordSchemas, described: DescribedCollection) {
  const { entity, parent } = place;
  const operations = recordOperations(described);
  return {
    create: operations.create(bodyOf(place, schemas, 'create'), {
      conflict: 'The id in the body is taken.',
      ...(parent !== undefined && {
        description: 'The new record belongs to the record in the path; a body that names another parent is refused.',
      }),
    }),
    update: operations.update({ schema: schemas.bodies.update, example: updateExample(entity) }),
    replace: operations.replace(bodyOf(place, schemas, 'replace'), replacing),
    read: operations.read(),
    remove: operations.remove(),
  };
}

/** The effect of a PUT on absent fields. */
export const replacing = {
  description: 'Fields that the body leaves out become empty. Read-only fields stay.',
};

/** Under a parent, the path names the parent, and the body need not. */
function bodyOf({ entity, parent }: RecordPlace, { bodies }: RecordSchemas, write: WholeWrite): BodySchema {
  const example = wholeExample(entity, write);
  if (parent === undefined) return { schema: bodies[write], example };
  const required = requiredOf(recordFields(entity), write).filter((one) => one !== parent.field.name);
  return { schema: bodies.update, required, example };
}

/** The fields that a create or a full update must have, with values. */
export function wholeExample(entity: EntityDefinition, write: WholeWrite): Record<string, unknown> {
  const required = new Set(requiredOf(recordFields(entity), write));
  return exampleValues(entity.fields.filter((field) => required.has(field.name)));
}

/** The first text field for changes, with a value. */
export function updateExample(entity: EntityDefinition): Record<string, unknown> {
  const texts = entity.fields.filter((field) => !field.isReadOnly && field.dataType === 'string');
  return exampleValues(texts.slice(0, 1));
}
