import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { type FieldValues, fromWireValue } from '@callout/domain/values/values';
import type { UserDefinedFields } from '../events/user-defined-fields.ts';

/** The known values of a record. */
export interface KnownRecord {
  readonly id: number;
  readonly fields: FieldValues;
  readonly udfFields: FieldValues;
}

/**
 * A record in reads: every field of the catalogue as typed JSON, null where empty or unknown, and every user-defined
 * field of the entity by name, with the value as text or null, as in callouts.
 */
export function recordItem(entity: EntityDefinition, udfs: UserDefinedFields, record: KnownRecord) {
  const item = Object.create(null) as Record<string, unknown>;
  for (const field of entity.fields) item[field.name] = fromWireValue(field, record.fields[field.name] ?? null);
  item['id'] = record.id;
  if (entity.hasUserDefinedFields) {
    item['userDefinedFields'] = udfs.all.map((definition) => ({
      name: definition.name,
      value: record.udfFields[definition.id] ?? null,
    }));
  }
  return item;
}
