/** A secret, by a text that differs when the secret does, such as a digest; null: no secret. */
export interface SecretValue {
  readonly secret: string | null;
}

/** The values of configuration by their names in the API; what is no single value is the text of its JSON. */
export type ConfigurationValues = Readonly<Record<string, ShownValue | SecretValue>>;

type ShownValue = string | number | boolean | null;

/** A field that a change gave another value. */
export interface FieldChange {
  readonly field: string;
  /** Null: nothing, or the field was not there. A secret reads `changed`. */
  readonly from: ShownValue;
  readonly to: ShownValue;
}

/** Characters of a value: the longest ones, such as certificates and conditions, are cut. */
const mostCharacters = 2_000;

/**
 * The fields that differ, in the order of the values; null: the thing is not there. No secret is in the result, and no
 * value of more than `mostCharacters`.
 */
export function fieldChanges(before: ConfigurationValues | null, after: ConfigurationValues | null): FieldChange[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].flatMap((field) => {
    const [from, to] = [before?.[field] ?? null, after?.[field] ?? null];
    return textOf(from) === textOf(to) ? [] : [{ field, from: shown(from), to: shown(to) }];
  });
}

function textOf(value: ShownValue | SecretValue): string {
  return JSON.stringify(isSecret(value) ? value.secret : value);
}

function isSecret(value: ShownValue | SecretValue): value is SecretValue {
  return typeof value === 'object' && value !== null;
}

function shown(value: ShownValue | SecretValue): ShownValue {
  if (isSecret(value)) return value.secret === null ? null : 'changed';
  if (typeof value !== 'string' || value.length <= mostCharacters) return value;
  return `${value.slice(0, mostCharacters)}… (${value.length} characters)`;
}
