import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { orNull, type Json } from './json-schema.ts';

/** Turns schemas of routes into those of the document. */
export interface SchemaReader {
  /** The schema as JSON Schema; one with an `id`, itself or within, becomes a component and a reference to it. */
  readonly read: (schema: z.ZodType) => Json;
  /** All components that were met. */
  readonly components: Readonly<Record<string, Json>>;
}

/** Throws when two schemas that differ have one `id`. */
export function createSchemaReader(): SchemaReader {
  const components: Record<string, Json> = {};

  function read(schema: z.ZodType): Json {
    // Within an object, since a schema with an id that stands alone is no reference.
    const { properties, $defs = {} } = z.toJSONSchema(z.object({ it: schema }), { io: 'input' });
    for (const [name, found] of Object.entries($defs)) {
      const { id: _name, ...component } = tidy(found);
      if (components[name] !== undefined && !isDeepStrictEqual(components[name], component)) {
        throw new Error(`two schemas have the id ${name}`);
      }
      components[name] = component;
    }
    return tidy((properties?.['it'] ?? {}) as Json);
  }

  return { read, components };
}

/** Without what zod adds for itself, and `null` as a type where it can be one. */
function tidy(value: Json): Json {
  const { $ref, pattern, maximum, minimum, propertyNames: _text, anyOf, ...rest } = value;
  const inner = Object.fromEntries(
    Object.entries(rest).map(([key, one]) => [key, key === 'properties' ? tidyEach(one as Json) : tidyPart(one)]),
  );
  const own = {
    ...(typeof $ref === 'string' && { $ref: $ref.replace('#/$defs/', '#/components/schemas/') }),
    ...inner,
    ...(rest['additionalProperties'] !== undefined && { additionalProperties: open(inner['additionalProperties']) }),
    // Of a format the name says enough.
    ...(pattern !== undefined && rest['format'] === undefined && { pattern }),
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  };
  return Array.isArray(anyOf) ? { ...nullable(anyOf.map((one) => tidy(one as Json))), ...own } : own;
}

function tidyEach(schemas: Json): Json {
  return Object.fromEntries(Object.entries(schemas).map(([key, one]) => [key, tidyPart(one)]));
}

function tidyPart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidyPart);
  return typeof value === 'object' && value !== null ? tidy(value as Json) : value;
}

/** `{}` takes anything, and so does `true`, which more generators know. */
function open(values: unknown): unknown {
  return isDeepStrictEqual(values, {}) ? true : values;
}

function nullable(choices: readonly Json[]): Json {
  const [one, other] = choices;
  const isOrNull = choices.length === 2 && other?.['type'] === 'null';
  if (one === undefined || !isOrNull || typeof one['type'] !== 'string' || one['properties']) return { anyOf: choices };
  return orNull(one);
}
