/** Longer names are not compared: they are no typing errors, and comparing costs the product of the lengths. */
const longestName = 60;

/**
 * The known name most similar to a given name, for "did you mean"; undefined without a similar name. Case is ignored.
 * Case is ignored. Names are similar when at most a third of the letters is left out, added, changed, or swapped with
 * the next letter. A name that begins with the other name is similar too, such as `phoneNumber` and `phone`.
 */
export function nearestName(name: string, knownNames: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  if (wanted === '' || wanted.length > longestName) return undefined;
  const mostEdits = Math.max(1, Math.floor(wanted.length / 3));
  let nearest: string | undefined;
  let fewest = mostEdits + 1;
  let beginning: string | undefined;
  for (const one of knownNames) {
    const candidate = one.toLowerCase();
    if (Math.abs(candidate.length - wanted.length) < fewest) {
      const edits = editsBetween(wanted, candidate);
      if (edits < fewest) [nearest, fewest] = [one, edits];
    }
    const [short, long] = candidate.length < wanted.length ? [candidate, wanted] : [wanted, candidate];
    if (short.length >= 4 && long.startsWith(short)) beginning ??= one;
  }
  return nearest ?? beginning;
}

/** Maximum number of names of a request that are compared: comparing costs time, and the first few are enough. */
const mostHints = 10;

/**
 * `: did you mean phone?`, the end of a sentence about an unknown name; empty when no name is similar, or when
 * there are `problems` enough already.
 */
export function nearestHint(name: string, knownNames: Iterable<string>, problems: readonly unknown[]): string {
  const nearest = problems.length < mostHints ? nearestName(name, knownNames) : undefined;
  return nearest === undefined ? '' : `: did you mean ${nearest}?`;
}

/** How many letters must be left out, added, changed or swapped with the next (optimal string alignment distance). */
function editsBetween(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          at(last, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(beforeLast, column - 2) + 1 : Infinity,
        ),
      );
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
