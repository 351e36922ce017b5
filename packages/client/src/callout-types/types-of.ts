import type { FieldShape, WebhookShape } from './webhook-shape.ts';

const header = '// Written by `callout types`. When a webhook or a field has changed, run it again.\n';

/** The source of a TypeScript module with an interface for each webhook. */
export function typesOf(webhooks: readonly WebhookShape[]): string {
  const names = namesOf(webhooks);
  const interfaces = webhooks.map((webhook, index) => interfaceOf(webhook, names[index] ?? ''));
  // Without any export, the file would be no module.
  return [header, ...(interfaces.length > 0 ? interfaces : ['export {};\n'])].join('\n');
}

/** One name each: that of the webhook, with its id where two would have the same. */
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

function interfaceOf(shape: WebhookShape, identifier: string): string {
  const { webhook, name, guid, entityType, actions, fields } = shape;
  const lines = fields.flatMap((field) => fieldLines(field).map((line) => `    ${line}`));
  return [
    comment(`${webhook}: ${name}`),
    `export interface ${identifier} {`,
    `  readonly Guid: ${literal(guid)};`,
    `  readonly EntityType: ${literal(entityType)};`,
    `  readonly Action: ${actions.length === 0 ? 'never' : actions.map(literal).join(' | ')};`,
    ...(lines.length === 0
      ? ['  readonly Fields: Readonly<Record<string, never>>;']
      : ['  readonly Fields: {', ...lines, '  };']),
    ...(shape.isTyped ? typedLines(fields) : []),
    '}',
    '',
  ].join('\n');
}

/** The typed data, beside the values as text. */
function typedLines(fields: readonly FieldShape[]): string[] {
  const block = (name: string, of: readonly FieldShape[]) => [
    `    readonly ${name}: {`,
    ...of.map((field) => `      readonly ${propertyOf(field.name ?? field.key)}?: ${jsonTypeOf(field)};`),
    '    };',
  ];
  return [
    '  readonly typed: {',
    ...block(
      'fields',
      fields.filter(({ name }) => name !== undefined),
    ),
    ...block(
      'userDefinedFields',
      fields.filter(({ name }) => name === undefined),
    ),
    '  };',
  ];
}

function jsonTypeOf({ dataType, isNullable, isPicklist }: FieldShape): string {
  const type = jsonTypes[dataType] ?? 'string';
  const shown = isPicklist ? `{ readonly value: ${type}; readonly label: string | null }` : type;
  return isNullable ? `${shown} | null` : shown;
}

/** What is left out is text. A number that JSON would round is text as well. */
const jsonTypes: Readonly<Record<string, string>> = {
  integer: 'number',
  long: 'number',
  list: 'number',
  double: 'number | string',
  decimal: 'number | string',
  boolean: 'boolean',
};

const propertyOf = (key: string) => (/^[A-Za-z_$][\w$]*$/u.test(key) ? key : literal(key));

function fieldLines(field: FieldShape): string[] {
  const { key, isNullable } = field;
  // Optional even when it is always displayed: a Delete has no fields, and what the service never received is left out.
  return [comment(description(field)), `readonly ${propertyOf(key)}?: ${typeOf(field)}${isNullable ? ' | null' : ''};`];
}

function description({ description: text, dataType, isAlwaysDisplayed, picklist }: FieldShape): string {
  const values = picklist.slice(0, mostValues).map(({ value, label }) => `${value} = ${label}`);
  if (picklist.length > mostValues) values.push('…');
  return [
    text,
    `${dataType}${values.length > 0 ? ` (${values.join(', ')})` : ''}, ${isAlwaysDisplayed ? 'always displayed' : 'when it changed'}.`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** More are no help in a comment. */
const mostValues = 20;

/** All values are text. A picklist may get more values at any time, so it is no union of them. */
function typeOf({ dataType, picklist }: FieldShape): string {
  if (dataType === 'boolean') return `'true' | 'false'`;
  const isNumber = ['integer', 'long', 'double', 'decimal'].includes(dataType);
  return isNumber && picklist.length === 0 ? '`${number}`' : 'string';
}

/** A text of the tenant must not end the comment, or begin a line of its own. */
function comment(text: string): string {
  return `/** ${text.replaceAll(/\s+/gu, ' ').replaceAll('*/', '*\u200b/')} */`;
}

/** In single quotes, as TypeScript is usually written. */
function literal(text: string): string {
  const inside = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inside.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}
