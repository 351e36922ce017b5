import { type JsonSchema, propertiesOf, typesIn } from './json-schema.ts';
import { comment, typeOfSchema } from './schema-types.ts';

const header = '// Written by `callout types`. When a webhook or a field has changed, run it again.\n';

/** The source of a TypeScript module with an interface for each webhook. */
export function typesOf(webhooks: readonly WebhookShape[]): string {
  const names = namesOf(webhooks);
  const interfaces = webhooks.map((webhook, index) => interfaceOf(webhook, names[index] ?? ''));
  // Without any export, the file would be no module.
  return [header, ...(interfaces.length > 0 ? interfaces : ['export {};\n'])].join('\n');
}

/** A name for each webhook: the webhook's name, with the id where two webhooks would have the same name. */
function namesOf(webhooks: readonly WebhookShape[]): string[] {
  const names = webhooks.map(({ name, webhook }) => identifierOf(name) ?? identifierOf(webhook) ?? 'Webhook');
  return names.map((name, index) => {
    const isTaken = names.some((other, at) => at !== index && other === name);
    return isTaken ? `${name}${identifierOf(webhooks[index]?.webhook ?? '') ?? ''}` : name;
  });
}

/** `Companies to the shop` → `CompaniesToTheShop`; undefined when nothing is left that a name may begin with. */
function identifierOf(text: string): string | undefined {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^\p{L}/u.test(name) ? name : undefined;
}

function interfaceOf({ webhook, name, schema }: WebhookShape, identifier: string): string {
  const type = typeOfSchema(bodyShape(schema));
  return `${comment(`${webhook}: ${name}`)}\nexport interface ${identifier} ${type}\n`;
}

/**
 * The differences between webhooks, in the shape that `createReceiver<…>` takes: `Guid`, `EntityType`, `Action`,
 * `Fields`, with previous values `PreviousFields`, and `typed` in formats with types.
 */
function bodyShape(schema: JsonSchema): JsonSchema {
  const body = schema.properties?.['data'] ?? schema;
  const { Guid, EntityType, Action, Fields, PreviousFields } = body.properties ?? {};
  if (Fields !== undefined) return shape({ Guid, EntityType, Action, Fields, PreviousFields });
  const { guid, entityType, action, ...typed } = body.properties ?? {};
  const { fields = {}, userDefinedFields = {}, previousFields, previousUserDefinedFields } = typed;
  return shape({
    Guid: guid,
    EntityType: entityType,
    Action: action,
    Fields: referenceFields(fields, userDefinedFields),
    PreviousFields: previousFields && referenceFields(previousFields, previousUserDefinedFields ?? {}),
    typed: shape({ fields, userDefinedFields, previousFields, previousUserDefinedFields }),
  });
}

/** Updates alone have previous values. */
const optional = ['PreviousFields', 'previousFields', 'previousUserDefinedFields'];

function shape(properties: Readonly<Record<string, JsonSchema | undefined>>): JsonSchema {
  const present = Object.entries(properties).filter((one): one is [string, JsonSchema] => one[1] !== undefined);
  const required = present.map(([name]) => name).filter((name) => !optional.includes(name));
  return { type: 'object', properties: Object.fromEntries(present), required };
}

/** A webhook and what it sends. */
export interface WebhookShape {
  /** Such as `CompanyWebhooks/3`. */
  readonly webhook: string;
  readonly name: string;
  /** Its PayloadSchema. */
  readonly schema: JsonSchema;
}

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

/** The text of a value. For a picklist, the text of the `value`. */
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
