// A bound with exceptions: the exceptions are only ever lowered, and are noted when they are no longer needed.

/**
 * @param figures what was counted, by the name of what has it
 * @param exceptions higher bounds of some names
 * @param what the unit, as in "lines"
 * @param table the file with the exceptions
 */
export function holdBelow({ figures, most, exceptions, what, table }) {
  const problems = [];
  for (const [name, figure] of figures) {
    const bound = exceptions[name] ?? most;
    if (figure > bound) problems.push(`${name} has ${figure} ${what}, at most ${bound}`);
  }
  const notes = Object.entries(exceptions)
    .filter(([name]) => (figures.get(name) ?? 0) <= most)
    .map(([name]) => `${name} has at most ${most} ${what} now: take the exception out of ${table}`);
  return { problems, notes };
}
