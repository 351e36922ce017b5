import { booleanInput } from '../../input/input-schemas.ts';
import { nearestHint } from '../../input/nearest-name.ts';
import { isJsonType } from '../../metadata/field.ts';
import type { FieldRef } from '../condition.ts';
import { refuse, type FilterReading } from './filter-reading.ts';
import { quote } from './quote.ts';

/** The field of a condition; undefined when it was refused. */
export function readField(
  reading: FilterReading,
  condition: Readonly<Record<string, unknown>>,
  path: string,
): FieldRef | undefined {
  const { field: name } = condition;
  if (typeof name !== 'string' || name === '') {
    const isGiven = name !== undefined && name !== null && name !== '';
    return refuse(reading, `${path}.field`, 'must name a field', isGiven ? 'invalidType' : 'required');
  }
  const isUdf = booleanInput.safeParse(condition['udf'] ?? false);
  if (!isUdf.success) return refuse(reading, `${path}.udf`, 'must be true or false', 'invalidType', name);
  return isUdf.data ? readUdf(reading, name, `${path}.field`) : readOwnField(reading, name, `${path}.field`);
}

function readUdf(reading: FilterReading, name: string, path: string): FieldRef | undefined {
  const { collection, udfs } = reading;
  const udf = collection.udfByName?.(name);
  if (!udf) {
    return refuse(reading, path, `${quote(name)} is no user-defined field of ${collection.name}`, 'unknownField');
  }
  udfs.set(udf.id, udf.name);
  return { name: udf.name, dataType: udf.dataType, udfId: udf.id };
}

function readOwnField(reading: FilterReading, name: string, path: string): FieldRef | undefined {
  const { collection } = reading;
  const field = collection.fieldByName(name);
  if (!field) {
    const hint = collection.udfByName?.(name)
      ? ': it is a user-defined field and needs "udf": true'
      : nearestHint(name, collection.fieldNames, reading.problems);
    return refuse(reading, path, `${quote(name)} is no field of ${collection.name}${hint}`, 'unknownField');
  }
  const { dataType } = field;
  if (isJsonType(dataType)) {
    return refuse(reading, path, `${quote(field.name)} cannot be queried: it is an ${dataType}`, 'notQueryable');
  }
  if (field.isQueryable === false) {
    return refuse(reading, path, `${quote(field.name)} cannot be queried`, 'notQueryable');
  }
  return { name: field.name, dataType, udfId: null };
}
