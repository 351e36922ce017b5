import type { IncomingHttpHeaders } from 'node:http';
import { Problem, type ProblemDetail } from '@callout/domain/problem';

const meanings: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/**
 * Whether a caller wants refusals in place of warnings: `?strict=true`, or the header `Prefer: handling=strict` of RFC
 * 7240. The query has priority. Throws a 400 Problem for a value other than true or false.
 */
export function isStrict(query: Readonly<Record<string, string>>, headers: IncomingHttpHeaders): boolean {
  const { strict } = query;
  if (strict === undefined) return prefersStrict(headers['prefer']);
  const meaning = meanings.get(strict.toLowerCase());
  if (meaning === undefined) throw Problem.invalid('strict must be true or false', 'strict');
  return meaning;
}

/** Preferences are separated by commas, their parameters by semicolons; names ignore case, values may be quoted. */
function prefersStrict(prefer: string | string[] | undefined): boolean {
  const preferences = [prefer ?? []].flat().flatMap((header) => header.split(','));
  return preferences.some((one) => /^\s*handling\s*=\s*"?strict"?\s*(;|$)/iu.test(one));
}

/** Throws a 400 Problem with the warnings of a request whose caller is strict, before anything is kept. */
export function refuseWhenStrict(call: { readonly isStrict: boolean }, warnings: readonly ProblemDetail[]): void {
  if (warnings.length > 0 && call.isStrict) throw Problem.invalid(warnings);
}
