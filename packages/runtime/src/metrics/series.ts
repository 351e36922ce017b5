interface Node<T> {
  value: T | undefined;
  readonly next: Map<string, Node<T>>;
}

/** The values of one metric, one for each combination of labels. */
export interface Series<T> extends Iterable<readonly [labels: Readonly<Record<string, string>>, value: T]> {
  /** The value of these labels, in the order of their names, made when they come for the first time. */
  of(labelValues: readonly string[]): T;
}

/**
 * Keeps values by label. Each label is looked up by itself: joining them, as prom-client does on every observation,
 * costs several times as much.
 * @param known the values of a single label that are 0 before anything is observed.
 */
export function createSeries<T>(names: readonly string[], make: () => T, known: readonly string[] = []): Series<T> {
  const root: Node<T> = { value: undefined, next: new Map() };
  const all: (readonly [Readonly<Record<string, string>>, T])[] = [];

  function added(node: Node<T>, labelValues: readonly string[]): T {
    if (labelValues.length !== names.length)
      throw new Error(`labels are ${names.join(', ')}, not ${labelValues.join()}`);
    const value = make();
    node.value = value;
    all.push([Object.fromEntries(names.map((name, nth) => [name, labelValues[nth] ?? ''])), value]);
    return value;
  }

  const series: Series<T> = {
    of(labelValues) {
      let node = root;
      for (const label of labelValues) {
        let next = node.next.get(label);
        if (next === undefined) {
          next = { value: undefined, next: new Map() };
          node.next.set(label, next);
        }
        node = next;
      }
      return node.value ?? added(node, labelValues);
    },
    [Symbol.iterator]: () => all[Symbol.iterator](),
  };
  // A series that begins with 0 has a rate from the first observation on. The first value of a series has none, so a
  // first failure would not be seen.
  if (names.length === 0) series.of([]);
  for (const value of known) series.of([value]);
  return series;
}
