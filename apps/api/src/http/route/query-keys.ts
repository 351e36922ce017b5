import { Problem } from '@callout/domain/problem/problem';

/**
 * The query of a URL with its keys in lower case, since query keys ignore case. Two keys that are equal then are
 * refused (400), since one of them would be ignored.
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
