import type { EntityDefinition, FieldDefinition } from '@callout/domain/catalogue/catalogue';
import { mostProblems, type ProblemDetail } from '@callout/domain/problem';
import { emptyFieldValues, type FieldValues, toWireValue } from '@callout/domain/values/values';
import { maxUdfTextLength } from '@callout/domain/metadata/udf-definition';
import type { UserDefinedFields } from './user-defined-fields.ts';
import { duplicateKey, isObject } from './given-fields.ts';

/**
 * Turns values of a body into wire form, by field name. Every invalid value is a problem with the path of the value.
 */
export function wireValues(
  inputs: ReadonlyMap<FieldDefinition, unknown>,
  where: string,
  problems: ProblemDetail[],
): FieldValues {
  const values = emptyFieldValues();
  for (const [field, input] of inputs) {
    const wire = toWireValue(field, input);
    if (wire.ok) values[field.name] = wire.value;
    else problems.push({ code: wire.code, field: `${where}${field.name}`, message: `${where}${wire.message}` });
  }
  return values;
}

/** A value for a user-defined field, by the name that the body uses. */
export interface NamedUdfValue {
  readonly name: string;
  readonly value: unknown;
  /** Path of the value in the body. */
  readonly path: string;
}

/** The entries of an object `{"name": value}`, in turn: an object may have very many. */
export function* udfEntriesOfObject(
  inputs: unknown,
  path: string,
  problems: ProblemDetail[],
): Generator<NamedUdfValue, void> {
  if (inputs === undefined || inputs === null) return;
  if (!isObject(inputs)) {
    problems.push({ code: 'invalidType', field: path, message: `${path} must be an object of names and values` });
    return;
  }
  for (const name of Object.keys(inputs)) yield { name, value: inputs[name], path: `${path}.${shortName(name)}` };
}

/** The entries of an array `[{"name", "value"}]`, in turn. Any element of another form is a problem. */
export function* udfEntriesOfArray(
  inputs: unknown,
  path: string,
  problems: ProblemDetail[],
): Generator<NamedUdfValue, void> {
  if (inputs === undefined || inputs === null) return;
  if (!Array.isArray(inputs)) {
    problems.push({ code: 'invalidType', field: path, message: `${path} must be an array of names and values` });
    return;
  }
  for (const [index, entry] of (inputs as unknown[]).entries()) {
    if (problems.length >= mostProblems) return;
    const entryPath = `${path}[${index}]`;
    const keys = isObject(entry) ? foldedEntry(entry, entryPath, problems) : undefined;
    if (typeof keys?.name === 'string') {
      yield { name: keys.name, value: keys.value ?? null, path: entryPath };
    } else {
      const message = `${entryPath} must be an object with name and value`;
      problems.push({ code: 'invalidType', field: entryPath, message });
    }
  }
}

/**
 * Turns named values into wire form, by the id of the definition. An unknown name is a problem; after `mostProblems`
 * nothing more is read.
 */
export function udfWireValues(
  entries: Iterable<NamedUdfValue>,
  definitions: UserDefinedFields,
  problems: ProblemDetail[],
  { entityType }: Pick<EntityDefinition, 'entityType'>,
): FieldValues {
  const values = emptyFieldValues();
  for (const entry of entries) {
    if (problems.length >= mostProblems) break;
    const definition = definitions.find(entry.name);
    if (definition === undefined) {
      problems.push(unknownUdf(entry, entityType));
      continue;
    }
    if (definition.id in values) {
      const message = `${entry.path} is the user-defined field ${definition.name}, which is given before it`;
      problems.push({ code: 'duplicateKey', field: entry.path, message });
      continue;
    }
    const wire = toWireValue({ ...definition, length: maxUdfTextLength }, entry.value);
    if (wire.ok) values[definition.id] = wire.value;
    else problems.push({ code: wire.code, field: entry.path, message: `${entry.path}: ${wire.message}` });
  }
  return values;
}

function unknownUdf({ name, path }: NamedUdfValue, entityType: string): ProblemDetail {
  const message = `${path}: ${JSON.stringify(shortName(name))} is no user-defined field of ${entityType}`;
  return { code: 'unknownField', field: path, message };
}

/** A name may be as long as a body; an error shows no more of a name. */
function shortName(name: string): string {
  return name.slice(0, 100);
}

function foldedEntry(
  entry: Readonly<Record<string, unknown>>,
  path: string,
  problems: ProblemDetail[],
): { name?: unknown; value?: unknown } {
  const folded = new Map<string, unknown>();
  for (const [key, value] of Object.entries(entry)) {
    if (folded.has(key.toLowerCase())) problems.push(duplicateKey(`${path}.${key}`));
    folded.set(key.toLowerCase(), value);
  }
  return { name: folded.get('name'), value: folded.get('value') };
}
