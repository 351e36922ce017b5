import type { Condition } from '@callout/domain/query/condition';
import { hasTerm, searchKey, termOf, type RecordCollection } from '@callout/domain/query/searched-record';

/** Folded values that fields must have, by `searchKey`. */
type Wanted = ReadonlyMap<string, string>;

/** More alternatives than this come only from combined OR branches; looking them up does not pay. */
const mostAlternatives = 500;

/**
 * The index query for a filter: alternatives, each an array literal of terms, of which every matching row has all terms
 * of at least one. Null: the filter allows none; no alternative: no row passes.
 */
export function indexTerms(filter: Condition, collection: RecordCollection): string[] | null {
  const alternatives = alternativesOf(filter);
  if (alternatives === null || alternatives.length > mostAlternatives) return null;
  return alternatives.map(
    (wanted) => `{${[...wanted].map(([key, value]) => termOf(collection, key, value)).join(',')}}`,
  );
}

function alternativesOf(condition: Condition): Wanted[] | null {
  if (condition.kind === 'all') return combine(condition.of.map(alternativesOf));
  if (condition.kind === 'any') {
    const parts = condition.of.map(alternativesOf);
    return parts.includes(null) ? null : parts.flatMap((part) => part ?? []);
  }
  const isLookup = condition.kind === 'oneOf' && !condition.isNegated && !condition.values.includes(null);
  // The id is the table's key, and has no term.
  if (!isLookup || isId(condition)) return null;
  const key = searchKey(condition.field);
  const values = condition.values.map((value) => value ?? '');
  return values.every(hasTerm) ? values.map((value) => new Map([[key, value]])) : null;
}

/**
 * A fixed part narrows every alternative of another part; of several parts with alternatives, the shortest is enough.
 */
function combine(parts: readonly (Wanted[] | null)[]): Wanted[] | null {
  const indexed = parts.filter((part) => part !== null);
  if (indexed.length === 0) return null;
  const fixed = indexed.filter((part) => part.length === 1).flat();
  const [shortest] = indexed.filter((part) => part.length !== 1).toSorted((a, b) => a.length - b.length);
  return (shortest ?? [new Map()]).flatMap((wanted) => merge([wanted, ...fixed]) ?? []);
}

/** Null: one field would have to have two values at once. */
function merge(parts: readonly Wanted[]): Wanted | null {
  const merged = new Map<string, string>();
  for (const [key, value] of parts.flatMap((part) => [...part])) {
    if ((merged.get(key) ?? value) !== value) return null;
    merged.set(key, value);
  }
  return merged;
}

/** Whether a condition is about a row's own id. */
export function isId(condition: Condition): boolean {
  return 'field' in condition && condition.field.udfId === null && condition.field.name === 'id';
}
