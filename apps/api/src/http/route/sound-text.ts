import { Problem } from '@callout/core/errors';

/** No text of this service has it, and PostgreSQL takes none that does. */
const NUL = '\0';

/** The placeholders of a path. Throws a Problem (404) where one has a U+0000: it names nothing. */
export function soundParams(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (Object.values(params).some((value) => value.includes(NUL))) throw Problem.notFound();
  return params;
}

/** The query of a URL. Throws a Problem (400) that names the keys where a value has a U+0000. */
export function soundQuery(query: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const unsound = Object.keys(query).filter((key) => query[key]?.includes(NUL) === true);
  if (unsound.length === 0) return query;
  throw Problem.invalid(
    unsound.map((field) => ({ code: 'invalid', field, message: `${field} must not have the character U+0000.` })),
  );
}
