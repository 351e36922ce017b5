import type { Json, OpenApiDocument } from './document-types.ts';

/** The schemas of a document. */
type WithSchemas = { readonly components: Pick<OpenApiDocument['components'], 'schemas'> };

/**
 * The differences between a value and a schema of the document: a sentence each. Stricter than JSON Schema in one
 * thing: a key that an object's schema does not name is a fault, so that a test notices omissions of the document.
 */
export function faults(document: WithSchemas, schema: Json, value: unknown, at = '$'): string[] {
  const resolved = resolve(document, schema);
  const parts = (resolved['allOf'] ?? []) as Json[];
  const choices = (resolved['anyOf'] ?? resolved['oneOf'] ?? []) as Json[];
  const isChosen = choices.length === 0 || choices.some((choice) => faults(document, choice, value, at).length === 0);
  return [
    ...parts.flatMap((part) => faults(document, part, value, at)),
    ...(isChosen ? [] : [`${at} fits none of ${JSON.stringify(choices)}`]),
    ...ownFaults(document, resolved, value, at),
  ];
}

function resolve(document: WithSchemas, schema: Json): Json {
  const target = schema['$ref'];
  if (typeof target !== 'string') return schema;
  const found = document.components.schemas[target.replace('#/components/schemas/', '')];
  if (found === undefined) throw new Error(`${target} does not exist`);
  return resolve(document, found);
}

function ownFaults(document: WithSchemas, schema: Json, value: unknown, at: string): string[] {
  const types = schema['type'] === undefined ? [] : [schema['type'] as string | string[]].flat();
  if (types.length > 0 && !types.some((type) => hasType(value, type))) {
    return [`${at} is ${JSON.stringify(value)}, not ${types.join(' or ')}`];
  }
  const values = schema['enum'] as unknown[] | undefined;
  if (values !== undefined && !values.includes(value)) return [`${at} is ${JSON.stringify(value)}, none of the enum`];
  if (typeof value === 'string') return textFaults(schema, value, at);
  if (typeof value === 'number') return value < Number(schema['minimum'] ?? -Infinity) ? [`${at} is too small`] : [];
  if (Array.isArray(value)) {
    const items = schema['items'] as Json | undefined;
    return items === undefined ? [] : value.flatMap((one, index) => faults(document, items, one, `${at}[${index}]`));
  }
  return typeof value === 'object' && value !== null ? objectFaults(document, schema, value as Json, at) : [];
}

function hasType(value: unknown, type: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return type === 'integer' ? Number.isSafeInteger(value) : typeof value === type;
}

function textFaults(schema: Json, value: string, at: string): string[] {
  const { maxLength, pattern, format } = schema;
  const found: string[] = [];
  if (typeof maxLength === 'number' && value.length > maxLength) found.push(`${at} is too long`);
  if (typeof pattern === 'string' && !new RegExp(pattern).test(value)) found.push(`${at} does not match ${pattern}`);
  if (format === 'date-time' && Number.isNaN(Date.parse(value))) found.push(`${at} is no time`);
  return found;
}

function objectFaults(document: WithSchemas, schema: Json, value: Json, at: string): string[] {
  const properties = schema['properties'] as Readonly<Record<string, Json>> | undefined;
  const required = (schema['required'] ?? []) as string[];
  const missing = required.filter((key) => !(key in value)).map((key) => `${at}.${key} is missing`);
  if (properties === undefined) return missing;
  const open = schema['additionalProperties'] !== undefined;
  const present = Object.entries(value).flatMap(([key, one]) => {
    const property = properties[key];
    if (property !== undefined) return faults(document, property, one, `${at}.${key}`);
    return open ? [] : [`${at}.${key} is not in the document`];
  });
  return [...missing, ...present];
}
