import { mostProblems, Problem, type ProblemDetail } from '../problem.ts';

/** The keys a body may have, in canonical spelling; an object, or the objects of an array, have their own keys. */
export interface KeySpelling {
  readonly [key: string]: KeySpelling | null;
}

interface KnownKey {
  readonly canonical: string;
  readonly nested: KnownKeys | null;
}

/** Known keys, prepared once for many bodies. */
export interface KnownKeys {
  readonly exact: ReadonlyMap<string, KnownKey>;
  readonly folded: ReadonlyMap<string, KnownKey>;
}

/** Receives an unknown key: as given, the path of the object (such as `items[0].`), and the known keys there. */
export type OnUnknownKey = (key: string, path: string, knownKeys: KnownKeys) => void;

/** Prepares known keys: `knownKeys({ name: null, fields: { fieldID: null } })`. */
export function knownKeys(spelling: KeySpelling): KnownKeys {
  const keys = Object.entries(spelling).map(([canonical, nested]) => ({
    canonical,
    nested: nested === null ? null : knownKeys(nested),
  }));
  return {
    exact: new Map(keys.map((key) => [key.canonical, key])),
    folded: new Map(keys.map((key) => [key.canonical.toLowerCase(), key])),
  };
}

/**
 * A body with its keys in canonical spelling, because keys ignore case at every level; unknown keys are left out. The
 * objects made have no prototype. Throws an `invalid` Problem when the body is no object, or with every two keys of an
 * object that differ only by case. `onUnknown` receives each key that is left out.
 */
export function foldKeys(body: unknown, knownKeys: KnownKeys, onUnknown?: OnUnknownKey): Record<string, unknown> {
  if (!isObject(body)) throw Problem.notAnObject(body);
  const duplicates: ProblemDetail[] = [];
  const folded = foldObject(body, knownKeys, '', duplicates, onUnknown);
  if (duplicates.length > 0) throw Problem.invalid(duplicates);
  return folded;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Folds an object at `path` (such as `items[0].`) of a body, as foldKeys does; adds to `duplicates` and continues, up
 * to `mostProblems`.
 */
export function foldObject(
  object: Record<string, unknown>,
  knownKeys: KnownKeys,
  path: string,
  duplicates: ProblemDetail[],
  onUnknown?: OnUnknownKey,
): Record<string, unknown> {
  const result = Object.create(null) as Record<string, unknown>;
  let unknownKeys: Set<string> | undefined;
  for (const [key, value] of Object.entries(object)) {
    if (duplicates.length >= mostProblems) break;
    const match = knownKeys.exact.get(key) ?? knownKeys.folded.get(key.toLowerCase());
    if (match === undefined) {
      unknownKeys ??= new Set();
      if (unknownKeys.has(key.toLowerCase())) duplicates.push(duplicateKey(key, path));
      unknownKeys.add(key.toLowerCase());
      onUnknown?.(key, path, knownKeys);
    } else if (match.canonical in result) {
      duplicates.push(duplicateKey(match.canonical, path));
    } else {
      const { canonical, nested } = match;
      const place = `${path}${canonical}`;
      result[canonical] = nested === null ? value : foldNested(value, nested, place, duplicates, onUnknown);
    }
  }
  return result;
}

/** A value that is neither an object nor an array is returned unchanged, for the schema to judge. */
function foldNested(
  value: unknown,
  knownKeys: KnownKeys,
  path: string,
  duplicates: ProblemDetail[],
  onUnknown: OnUnknownKey | undefined,
): unknown {
  if (isObject(value)) return foldObject(value, knownKeys, `${path}.`, duplicates, onUnknown);
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown, index) =>
    isObject(item) ? foldObject(item, knownKeys, `${path}[${index}].`, duplicates, onUnknown) : item,
  );
}

function duplicateKey(key: string, path: string): ProblemDetail {
  const field = `${path}${key}`;
  return { code: 'duplicateKey', field, message: `${field} is given twice, in keys that differ by case only` };
}
