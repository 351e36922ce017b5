import { randomInt } from 'node:crypto';
import type { WatchedEntity } from '../input/webhook-named.ts';

/** Ids of existing records are lower in practice: a sample changes no existing record. */
const sampleIds = { from: 900_000_000, to: 1_000_000_000 };

/** The id of a record that does not exist. */
export function sampleId(): number {
  return randomInt(sampleIds.from, sampleIds.to);
}

/**
 * A value for every field of an entity that webhooks can name, different each time: an equal value would be no change.
 * References and picklists, whose values have to exist, are left out unless the picklist is known.
 */
export function sampleFields(entity: WatchedEntity): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of entity.fields) {
    if (!field.isSupportedWebhookField || field.isReference || field.isReadOnly) continue;
    const value = sampleValue(field);
    if (value !== undefined) values[field.name] = value;
  }
  return values;
}

function sampleValue({ name, dataType, length, isPickList, picklistValues }: WatchedEntity['fields'][number]): unknown {
  if (isPickList) {
    const choice = picklistValues[randomInt(Math.max(1, picklistValues.length))];
    if (choice === undefined) return undefined;
    return dataType === 'string' ? choice.value : Number(choice.value);
  }
  const number = randomInt(1_000, 10_000);
  if (dataType === 'boolean') return number % 2 === 0;
  if (dataType === 'datetime') return new Date(Math.floor(Date.now() / 1_000) * 1_000).toISOString();
  if (dataType !== 'string') return number;
  const text = sampleText(name, number);
  return length > 0 ? text.slice(0, length) : text;
}

function sampleText(name: string, number: number): string {
  if (/e-?mail/iu.test(name)) return `sample${number}@example.com`;
  return /phone|fax/iu.test(name) ? `555-${number}` : `Sample ${number}`;
}
