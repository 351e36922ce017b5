import { z } from 'zod';
import {
  hasPages,
  pageParameters,
  type Operation,
  type Parameter,
  type Parameters,
} from '@callout/domain/operations/operation';
import { anyId, flag, guid, moment, someText, text, whole } from '../../http/operation/wire-types.ts';
import { MAX_SMALL_ID } from '../../http/route/path-id.ts';

/** A parameter of an operation, in the document. */
function schemaOf({ kind, description, isOptional, mayBeEmpty, ...parameter }: Parameter): z.ZodType {
  const { least, most, choices = {} } = parameter;
  const schemas: Readonly<Record<Parameter['kind'], z.ZodType>> = {
    text: mayBeEmpty === true ? text : someText,
    secret: someText,
    flag,
    whole: whole.min(least ?? 0).max(most ?? Number.MAX_SAFE_INTEGER),
    perHour: whole.min(0).nullable(),
    moment,
    guid,
    choice: z.enum(Object.keys(choices)),
    id: anyId,
    tenant: anyId,
    zone: anyId,
    resource: anyId,
    credential: anyId,
  };
  const sentence = kind === 'perHour' ? `${description} null: as the installation, 0: no limit.` : description;
  const schema = schemas[kind].describe(sentence);
  return isOptional === true ? schema.optional() : schema;
}

/** Parameters as the keys of an object. */
export function shapeOf(parameters: Parameters): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(parameters).map(([name, parameter]) => [name, schemaOf(parameter)]));
}

/** How a part begins. */
const marks = { id: whole.min(0).max(MAX_SMALL_ID), moment, guid, all: whole };

/** The query of an operation; undefined: no query. */
export function queryOf(operation: Operation): z.ZodObject | undefined {
  const { query = {}, list, isBatched } = operation;
  const { limit, after } = pageParameters;
  const mark = isBatched === true ? whole.min(0) : marks[list?.mark ?? 'id'];
  const page = hasPages(operation) && {
    after: mark.describe(after?.description ?? '').optional(),
    ...shapeOf({ ...(limit && { limit }) }),
  };
  const shape = { ...page, ...shapeOf(query) };
  return Object.keys(shape).length === 0 ? undefined : z.object(shape);
}
