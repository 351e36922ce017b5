import type { EntityDefinition, FieldDefinition } from '@callout/domain/catalogue/catalogue';
import { mostProblems, type ProblemDetail } from '@callout/domain/problem';

/** A JSON object, as opposed to an array, null or a scalar. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The fields of an entity in a JSON object, with the values of the body. Keys ignore case: the exact spelling is found
 * first, which costs a lookup per key. Unknown keys are left out, and passed to `onUnknown`. Two keys that differ by
 * case only are a problem, known or not; after `mostProblems` nothing more is read. `where` is the path of the object
 * in the body, like `events[3].fields.`.
 */
export function givenFields(
  entity: EntityDefinition,
  object: Readonly<Record<string, unknown>>,
  where: string,
  problems: ProblemDetail[],
  onUnknown?: (key: string) => void,
): Map<FieldDefinition, unknown> {
  const inputs = new Map<FieldDefinition, unknown>();
  let unknownKeys: Set<string> | undefined;
  for (const key of Object.keys(object)) {
    if (problems.length >= mostProblems) break;
    const field = entity.fieldByName(key);
    if (field === undefined) {
      unknownKeys ??= new Set();
      const folded = key.toLowerCase();
      if (unknownKeys.has(folded)) problems.push(duplicateKey(`${where}${key.slice(0, 100)}`));
      unknownKeys.add(folded);
      onUnknown?.(key);
    } else if (inputs.has(field)) {
      problems.push(duplicateKey(`${where}${field.name}`));
    } else {
      inputs.set(field, object[key]);
    }
  }
  return inputs;
}

/**
 * The expected names of an entity's fields, in words. The names are listed on demand: most unknown names are not
 * compared.
 */
export function expectedField(entity: EntityDefinition) {
  return {
    code: 'unknownField',
    kind: `field of ${entity.entityType}`,
    get known() {
      return entity.fields.map(({ name }) => name);
    },
  } as const;
}

/** Two keys of an object differ by case only, and a value would be ignored. */
export function duplicateKey(field: string): ProblemDetail {
  return { code: 'duplicateKey', field, message: `${field} is given twice, in keys that differ by case only` };
}
