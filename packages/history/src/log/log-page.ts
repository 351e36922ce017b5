import type { ListPosition } from '@callout/domain/query/list-cursor';
import type { SqlValues } from '../sql-values.ts';
import { neighbourOf } from '@callout/database/schema/ids';

/** A page of a log, newest first, and the beginnings of the pages beside; null: there is no such page. */
export interface LogPage<Row> {
  readonly items: readonly Row[];
  readonly previous: ListPosition | null;
  readonly next: ListPosition | null;
}

/** How a page is looked for: the rows beyond a position, in an order in which the nearest ones come first. */
export interface Looking {
  /** A condition on the id, or nothing. */
  readonly conditions: readonly string[];
  readonly order: 'ASC' | 'DESC';
}

/** Newest first: rows after a position are older. */
export function lookFrom(position: ListPosition | null, idColumn: string, values: SqlValues): Looking {
  if (position === null) return { conditions: [], order: 'DESC' };
  const isAfter = position.direction === 'after';
  const beyond = `${idColumn} ${isAfter ? '<' : '>'} ${values.add(position.id)}::uuid`;
  return { conditions: [beyond], order: isAfter ? 'DESC' : 'ASC' };
}

/**
 * Makes a page of the ids from `position` on, in the order of the search, one more than the page has if there are more.
 * For any inserts or drops meanwhile, no row is shown twice, and none is left out.
 */
export function pageOfIds(ids: readonly string[], maxRecords: number, position: ListPosition | null): LogPage<string> {
  const hasMore = ids.length > maxRecords;
  const looked = ids.slice(0, maxRecords);
  const isBack = position?.direction === 'before';
  const items = isBack ? looked.toReversed() : looked;
  const [first, last] = [items.at(0), items.at(-1)];
  if (isBack) {
    // A reader who goes back came from a later page: when the present page is empty, the next page begins at `position`
    // itself.
    const next: ListPosition = { direction: 'after', id: last ?? neighbourOf(position.id, 1) };
    return { items, previous: hasMore && first !== undefined ? { direction: 'before', id: first } : null, next };
  }
  return {
    items,
    previous: position && { direction: 'before', id: first ?? neighbourOf(position.id, -1) },
    next: hasMore && last !== undefined ? { direction: 'after', id: last } : null,
  };
}
