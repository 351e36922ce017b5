import { Problem } from '@callout/domain/problem';

/**
 * The query of a URL with its keys in lower case, since query keys ignore case. Equal keys are refused (400), since
 * Express would ignore a key or make a list (`query-keys.test.ts`).
 */
export function parseQueryKeys(query: string | null): Readonly<Record<string, string>> {
  const values = Object.create(null) as Record<string, string>;
  for (const [key, value] of new URLSearchParams(query ?? '')) {
    const folded = key.toLowerCase();
    if (folded in values) {
      const message = `${folded} is given twice after the ? of the address, where case does not count: give it once.`;
      throw Problem.invalid([{ code: 'duplicateKey', field: folded, message }]);
    }
    values[folded] = value;
  }
  return values;
}

/** No text of the service contains U+0000, and PostgreSQL refuses such texts. */
const NUL = '\0';

/** The placeholders of a path. Throws a Problem (404) for U+0000, which no name contains. */
export function validParams(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (Object.values(params).some((value) => value.includes(NUL))) throw Problem.notFound();
  return params;
}

/** The query of a URL. Throws a Problem (400) that names the keys where a value has a U+0000. */
export function validQuery(query: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const invalid = Object.keys(query).filter((key) => query[key]?.includes(NUL) === true);
  if (invalid.length === 0) return query;
  throw Problem.invalid(
    invalid.map((field) => ({ code: 'invalid', field, message: `${field} must not have the character U+0000.` })),
  );
}
