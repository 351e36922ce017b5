import type { Position } from '@callout/domain/query/cursor';

/** A page of rows in order of id, and the beginnings of the pages beside; null: there is no such page. */
export interface SearchPage<Row> {
  readonly items: Row[];
  readonly previous: Position | null;
  readonly next: Position | null;
}

/** Rows to read: one more than the page has shows whether another page follows. */
export function wantedRows(maxRecords: number): number {
  return maxRecords + 1;
}

/**
 * Makes a page of the rows from `position` on, in the order of the search (down from a `before`). Positions are ids,
 * not counts: for any inserts or deletes meanwhile, no row is shown twice, and none is left out.
 * @param hasMore whether rows are left beyond them.
 */
export function pageOf<Row extends { readonly id: number }>(
  looked: readonly Row[],
  hasMore: boolean,
  position: Position | null,
): SearchPage<Row> {
  if (position?.direction === 'before') {
    const items = looked.toReversed();
    // A reader who goes back came from a later page, which begins with `position`, or at `position` when the present
    // page is empty.
    const next: Position = { direction: 'after', id: items.at(-1)?.id ?? position.id - 1 };
    return { items, previous: hasMore ? { direction: 'before', id: items[0]?.id ?? position.id } : null, next };
  }
  const last = looked.at(-1);
  return {
    items: [...looked],
    previous: position && { direction: 'before', id: looked[0]?.id ?? position.id + 1 },
    next: hasMore && last ? { direction: 'after', id: last.id } : null,
  };
}
