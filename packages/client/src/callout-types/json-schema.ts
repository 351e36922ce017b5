/** What a PayloadSchema uses of JSON Schema and what says something about types. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  /** Of a name that `properties` cannot have: `^__proto__$`. */
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
}

/** The properties of an object, each with its schema. */
export function propertiesOf({ properties = {}, patternProperties = {} }: JsonSchema): [string, JsonSchema][] {
  const odd = Object.entries(patternProperties).map(([pattern, schema]): [string, JsonSchema] => [
    pattern.replace(/^\^(.*)\$$/u, '$1'),
    schema,
  ]);
  return [...Object.entries(properties), ...odd];
}

/** The types that a value may have, `null` among them. */
export function typesIn({ type }: JsonSchema): readonly string[] {
  return typeof type === 'string' ? [type] : (type ?? []);
}
