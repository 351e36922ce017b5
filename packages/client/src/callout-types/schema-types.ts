import { type JsonSchema, propertiesOf, typesIn } from './json-schema.ts';

/**
 * The TypeScript type of the values that a schema describes. A number in text has the type `` `${number}` ``.
 * @param indent what begins the lines of an object.
 */
export function typeOfSchema(schema: JsonSchema, indent = ''): string {
  const values = 'const' in schema ? [schema.const] : schema.enum;
  if (values !== undefined) return unionOf(values.map(literalOf));
  return unionOf(typesIn(schema).map((type) => typeNamed(type, schema, indent)));
}

function typeNamed(type: string, schema: JsonSchema, indent: string): string {
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return isNumeric(schema) ? '`${number}`' : 'string';
  if (type === 'array') return `readonly ${bracketed(typeOfSchema(schema.items ?? {}, indent))}[]`;
  if (type === 'object') return objectType(schema, indent);
  return type;
}

function objectType(schema: JsonSchema, indent: string): string {
  const properties = propertiesOf(schema);
  if (properties.length === 0) return 'Readonly<Record<string, never>>';
  const lines = properties.flatMap(([name, property]) => {
    const { description = '' } = property;
    const isRequired = schema.required?.includes(name) === true;
    const type = typeOfSchema(property, `${indent}  `);
    return [
      ...(description === '' ? [] : [comment(description)]),
      `readonly ${propertyName(name)}${isRequired ? '' : '?'}: ${type};`,
    ];
  });
  return ['{', ...lines.map((line) => `${indent}  ${line}`), `${indent}}`].join('\n');
}

/** Whether text is a number: a PayloadSchema shows numbers by a pattern such as `^-?\d+(\.\d+)?$`. */
function isNumeric({ pattern }: JsonSchema): boolean {
  return pattern !== undefined && /^\^(-\?)?\\d\+(\(\\\.\\d\+\)\?)?\$$/u.test(pattern);
}

/** `never` when there is nothing. */
function unionOf(types: readonly string[]): string {
  return types.length === 0 ? 'never' : [...new Set(types)].join(' | ');
}

const bracketed = (type: string) => (type.includes(' | ') ? `(${type})` : type);

const propertyName = (name: string) => (/^[A-Za-z_$][\w$]*$/u.test(name) ? name : literalOf(name));

/** A text of the tenant must not end the comment, or begin a line of its own. */
export function comment(text: string): string {
  return `/** ${text.replaceAll(/\s+/gu, ' ').replaceAll('*/', '*\u200b/')} */`;
}

/** Text in single quotes, as TypeScript is usually written. */
function literalOf(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  const inside = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inside.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}
