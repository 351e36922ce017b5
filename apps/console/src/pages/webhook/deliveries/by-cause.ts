interface Row {
  readonly id: string;
  readonly waitsFor: { readonly cause: { readonly calloutID: string } | null } | null;
}

/** The rows of a list, where all rows waiting for a callout are shown as a single row. */
export interface GroupedRows<One extends Row> {
  /** Of each closed group, the first row alone. */
  readonly shown: readonly One[];
  /** All rows of the group behind a shown row, itself included; the row alone where it stands for no group. */
  readonly groupOf: (row: One) => readonly One[];
}

/** @param isOpen whether a person wants to see each row of a group, by the id of the callout before the group. */
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
