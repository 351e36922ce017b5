/** Classes of SQLSTATE about the values of a statement: data exceptions, constraints, limits of a program. */
const VALUE_CLASSES = new Set(['22', '23', '54']);

/**
 * Whether PostgreSQL, or the code in front of it, refused the given values, so that the same call will be refused
 * again. Errors about the state of PostgreSQL (away, full, read-only, locked, migrating, a partition missing) may
 * pass.
 */
export function isValueRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/u.test(code)) return error instanceof TypeError;
  // A failed check without a constraint's name is that of the partitions: the day of the row has none.
  if (code === '23514' && constraint === undefined) return false;
  return VALUE_CLASSES.has(code.slice(0, 2));
}
