interface Row {
  readonly id: string;
  readonly waitsFor: { readonly cause: { readonly calloutID: string } | null } | null;
}

/** Rows of a list of which those that wait for the same callout are one. */
export interface GroupedRows<One extends Row> {
  /** Of each group that is not open, the first row alone. */
  readonly shown: readonly One[];
  /** All rows of the group that a shown row stands for, with itself; the row alone where it stands for no others. */
  readonly groupOf: (row: One) => readonly One[];
}

/** @param isOpen whether a person wants to see each row that waits for a callout, by the id of that callout. */
export function groupByCause<One extends Row>(
  rows: readonly One[],
  isOpen: (calloutID: string) => boolean,
): GroupedRows<One> {
  const groups = new Map<string, One[]>();
  const shown = rows.filter((row) => {
    const cause = row.waitsFor?.cause?.calloutID;
    if (cause === undefined || isOpen(cause)) return true;
    const group = groups.get(cause) ?? [];
    groups.set(cause, group);
    return group.push(row) === 1;
  });
  return { shown, groupOf: (row) => groups.get(row.waitsFor?.cause?.calloutID ?? '') ?? [row] };
}
