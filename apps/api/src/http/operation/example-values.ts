import type { EntityDefinition, FieldDefinition } from '@callout/domain/catalogue/catalogue';

const ISO_TIME = '2026-01-15T09:30:00Z';

/** Values that read better than the name of the field. */
const niceValues: Readonly<Record<string, string>> = {
  companyName: 'Northwind',
  phone: '555-0100',
  firstName: 'Jo',
  lastName: 'Doe',
  title: 'The printer is on fire',
  description: 'It is on fire again',
  referenceTitle: 'Laptop at the front desk',
  serialNumber: 'SN-1042',
  occurrence: 'deactivated',
  summary: 'Account webhook “Billing” was deactivated by a user.',
};

/** The nth (from 0) field that webhooks of the entity support, or the last field. */
export function supportedField(entity: EntityDefinition, nth: number): FieldDefinition {
  const fields = entity.fields.filter((field) => field.isSupportedWebhookField);
  const field = fields[nth] ?? fields.at(-1) ?? entity.fields[0];
  if (field === undefined) throw new Error(`${entity.entityType} has no fields`);
  return field;
}

/** Two fields that webhooks of the entity support, with the most readable values. */
export function readableFields(entity: EntityDefinition): readonly [FieldDefinition, FieldDefinition] {
  const nice = entity.fields.filter((field) => field.isSupportedWebhookField && field.name in niceValues);
  return [nice[0] ?? supportedField(entity, 0), nice[1] ?? supportedField(entity, 1)];
}

/** Example values of the fields, by their names. */
export function exampleValues(fields: readonly FieldDefinition[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field.name, exampleValue(field)]));
}

/** An example value of the field, as typed JSON. */
export function exampleValue(field: FieldDefinition): unknown {
  const [choice] = field.picklistValues;
  if (choice !== undefined) return field.dataType === 'string' ? choice.value : Number(choice.value);
  if (field.dataType === 'boolean') return true;
  if (field.dataType === 'datetime') return ISO_TIME;
  if (field.dataType !== 'string') return 1;
  const text = field.name === 'email' ? 'jo@example.com' : (niceValues[field.name] ?? field.payloadKey);
  return field.length > 0 ? text.slice(0, field.length) : text;
}
