/** A JSON Schema, or any other object of the document. */
export type Json = Readonly<Record<string, unknown>>;

/** Refers to a schema of the document's components. */
export function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object with these properties. */
export function object(properties: Json, required: readonly string[] = []): Json {
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

export function arrayOf(items: Json): Json {
  return { type: 'array', items };
}

/** A schema whose objects must also have `required`. */
export function requiring(schema: Json, required: readonly string[]): Json {
  return required.length === 0 ? schema : { allOf: [schema, { type: 'object', required }] };
}

/** A value of `type` that can also be null. */
export function orNull(schema: Json): Json {
  const { type, enum: values, ...rest } = schema;
  return { type: [type, 'null'], ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }), ...rest };
}
