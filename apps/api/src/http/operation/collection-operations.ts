import type { z } from 'zod';
import type { Names } from './names.ts';
import { operationOf, type BodySchema, type OperationSchema, type OperationTemplate } from './operation-schema.ts';
import type { CollectionTags, Tag } from './tags.ts';
import { itemId, itemOf } from './wire-types.ts';

/** The API's description of a collection. */
export interface DescribedCollection {
  readonly names: Names;
  readonly tags: CollectionTags;
  /** The schema of a record in reads. */
  readonly record: z.ZodType;
  /** Whether the records have ETags, which writes compare. */
  readonly hasVersions?: true;
}

/** The special properties of an operation of a collection. */
type Special = Pick<OperationTemplate, 'description' | 'conflict' | 'namesRecord'>;

/** A write of an existing record: with the id in the body, and with the id in the path. */
export interface Change {
  readonly byBody: OperationSchema;
  readonly byPath: OperationSchema;
}

/** The operations of collections of records. */
export interface RecordOperations {
  readonly read: (special?: Special) => OperationSchema;
  readonly create: (body: BodySchema, special?: Special) => OperationSchema;
  readonly update: (body: BodySchema, special?: Special) => Change;
  readonly replace: (body: BodySchema, special?: Special) => Change;
  readonly remove: (special?: Special) => OperationSchema;
}

const done = { 200: { description: 'Done; the id of the record.', schema: itemId } };

export function recordOperations({ names, tags, record, hasVersions }: DescribedCollection): RecordOperations {
  const versioned = (version: NonNullable<OperationSchema['version']>) => (hasVersions === true ? { version } : {});
  const of = (template: OperationTemplate, tag: Tag) => operationOf(template, names, tag);

  function change(template: OperationTemplate, body: BodySchema): Change {
    const idInBody = {
      ...body,
      required: [...(body.required ?? []), 'id'],
      example: { id: 1, ...(body.example as object) },
    };
    return {
      byBody: of({ ...template, body: idInBody, namesRecord: true }, tags.main),
      byPath: of({ ...template, id: `${template.id}ById`, body }, tags.otherForms),
    };
  }

  return {
    read: (special) =>
      of(
        {
          id: 'get{One}',
          summary: 'Read {one}',
          responses: { 200: { description: 'The record.', schema: itemOf(record) } },
          ...versioned('read'),
          ...special,
        },
        tags.main,
      ),
    create: (body, special) =>
      of(
        {
          id: 'create{One}',
          summary: 'Create {one}',
          body,
          isWarned: true,
          responses: done,
          ...versioned('created'),
          ...special,
        },
        tags.main,
      ),
    update: (body, special) =>
      change(
        {
          id: 'update{One}',
          summary: 'Update {one}: what the body names',
          description: 'Only the keys that the body has change.',
          isWarned: true,
          responses: done,
          ...versioned('changed'),
          ...special,
        },
        body,
      ),
    replace: (body, special) =>
      change(
        {
          id: 'replace{One}',
          summary: 'Replace {one}',
          isWarned: true,
          responses: done,
          ...versioned('changed'),
          ...special,
        },
        body,
      ),
    remove: (special) =>
      of(
        { id: 'delete{One}', summary: 'Delete {one}', responses: done, ...versioned('deleted'), ...special },
        tags.main,
      ),
  };
}
