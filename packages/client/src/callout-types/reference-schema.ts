import { type JsonSchema, propertiesOf, typesIn } from './json-schema.ts';

/**
 * The fields of the typed format as `@callout/receiver` gives them in `payload`, whichever format was sent: text under
 * names with a capital first letter, user-defined fields among them under their labels.
 */
export function referenceFields(fields: JsonSchema, userDefinedFields: JsonSchema): JsonSchema {
  const shown = [
    ...propertiesOf(fields).map(([name, schema]) => [name.charAt(0).toUpperCase() + name.slice(1), schema] as const),
    ...propertiesOf(userDefinedFields),
  ];
  // A label may be `__proto__`, which becomes a property here, but not by an assignment.
  return { type: 'object', properties: Object.fromEntries(shown.map(([key, schema]) => [key, textOf(schema)])) };
}

const numberPattern = String.raw`^-?\d+(\.\d+)?$`;

/** The text of a value. That of a picklist is the text of its `value`. */
function textOf(schema: JsonSchema): JsonSchema {
  const { description = '', pattern = '' } = schema;
  const types = typesIn(schema);
  if (types.includes('object')) {
    const value = schema.properties?.['value'] ?? {};
    return textOf({ ...value, description, type: [...typesIn(value), ...types.filter((type) => type === 'null')] });
  }
  const hasNull = types.includes('null');
  if (types.includes('boolean')) return { description, enum: ['true', 'false', ...(hasNull ? [null] : [])] };
  const isNumber = types.includes('integer') || types.includes('number');
  return { description, type: hasNull ? ['string', 'null'] : ['string'], pattern: isNumber ? numberPattern : pattern };
}
