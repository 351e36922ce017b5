import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Content, Json } from './document-types.ts';

/** The schemas of routes as schemas of the document. */
export interface SchemaReader {
  /** A schema as JSON Schema; a schema with an `id`, on top or within, is a component and a reference. */
  readonly read: (schema: z.ZodType) => Json;
  /** All components so far. */
  readonly components: Readonly<Record<string, Json>>;
}

/** Reads all schemas at once, and makes each component once. Throws when two schemas have an equal `id`. */
export function createSchemaReader(schemas: Iterable<z.ZodType>): SchemaReader {
  const all = [...new Set(schemas)];
  // Within an object, since a lone schema with an id is no reference.
  const whole = z.object(Object.fromEntries(all.map((schema, index) => [`schema${index}`, schema])));
  const { properties = {}, $defs = {} } = z.toJSONSchema(whole, { io: 'input' });
  const read = new Map(all.map((schema, index) => [schema, tidy(properties[`schema${index}`] as Json)]));
  return {
    read(schema) {
      const json = read.get(schema);
      if (json === undefined) throw new Error('a schema is read that the reader was not given');
      return json;
    },
    components: Object.fromEntries(
      Object.entries($defs).map(([name, definition]) => {
        const { id: _name, ...component } = tidy(definition);
        return [name, component];
      }),
    ),
  };
}

/** Without zod's additions, and with `null` as a type if allowed. */
function tidy(value: Json): Json {
  const { $ref, pattern, maximum, minimum, propertyNames: _text, anyOf, ...rest } = value;
  const inner = Object.fromEntries(
    Object.entries(rest).map(([key, one]) => [key, key === 'properties' ? tidyEach(one as Json) : tidyPart(one)]),
  );
  const shownSchema = {
    ...(typeof $ref === 'string' && { $ref: $ref.replace('#/$defs/', '#/components/schemas/') }),
    ...inner,
    ...(rest['additionalProperties'] !== undefined && {
      additionalProperties: openValues(inner['additionalProperties']),
    }),
    // The name of a format is enough.
    ...(pattern !== undefined && rest['format'] === undefined && { pattern }),
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  };
  return Array.isArray(anyOf) ? { ...nullable(anyOf.map((one) => tidy(one as Json))), ...shownSchema } : shownSchema;
}

function tidyEach(schemas: Json): Json {
  return Object.fromEntries(Object.entries(schemas).map(([key, one]) => [key, tidyPart(one)]));
}

function tidyPart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidyPart);
  return typeof value === 'object' && value !== null ? tidy(value as Json) : value;
}

/** `{}` accepts any value, and `true` as well, which more generators support. */
function openValues(values: unknown): unknown {
  return isDeepStrictEqual(values, {}) ? true : values;
}

function nullable(choices: readonly Json[]): Json {
  const [one, other] = choices;
  const isOrNull = choices.length === 2 && other?.['type'] === 'null';
  if (one === undefined || !isOrNull || typeof one['type'] !== 'string' || one['properties']) return { anyOf: choices };
  return orNull(one);
}

/** A value or null. */
function orNull({ type, enum: values, ...rest }: Json): Json {
  return { type: [type, 'null'], ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }), ...rest };
}

/** A schema whose objects must also have `required`. */
export function requiring(schema: Json, required: readonly string[]): Json {
  return required.length === 0 ? schema : { allOf: [schema, { type: 'object', required }] };
}

export function jsonContent(schema: Json, example?: unknown): Content {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } };
}
