import { useState } from 'react';
import type { CalloutFilter, ListedCallout } from '../webhook-queries.ts';
import type { Selection } from '../../../parts/table/records-table.tsx';

/** The callouts for a repair: picked rows, or all callouts within the filter of the list. */
export type Chosen =
  | { readonly kind: 'rows'; readonly rows: readonly ListedCallout[] }
  | { readonly kind: 'filter'; readonly filter: CalloutFilter };

/** The most callouts of a request. */
const mostNamed = 1_000;

/** Tests and calls about a deactivation are neither redelivered nor cancelled with others. */
const isRepairable = ({ kind }: ListedCallout): boolean => kind === 'event';

/** The rows picked by a person; without picked rows, all callouts within the filter. */
export function useChosen(rows: readonly ListedCallout[], filter: CalloutFilter) {
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [allOf, setAllOf] = useState<string | null>(null);
  const isAll = allOf === JSON.stringify(filter);
  const selection: Selection<ListedCallout> = {
    isSelected: ({ id }) => isAll || picked.has(id),
    nameOf: (row) => (isRepairable(row) ? `callout ${row.sequenceNumber}` : undefined),
    set(changed, isSelected) {
      const before = isAll ? rows.filter(isRepairable).map(({ id }) => id) : [...picked];
      const ids = changed.map(({ id }) => id);
      setPicked(new Set(isSelected ? [...before, ...ids] : before.filter((id) => !ids.includes(id))));
      setAllOf(null);
    },
  };
  // What the filter does not show any more is not meant.
  const pickedRows = rows.filter(({ id }) => picked.has(id)).slice(0, mostNamed);
  const chosen: Chosen =
    isAll || pickedRows.length === 0 ? { kind: 'filter', filter } : { kind: 'rows', rows: pickedRows };
  return {
    selection,
    chosen,
    clear: () => {
      setPicked(new Set());
      setAllOf(null);
    },
    selectAll: () => setAllOf(JSON.stringify(filter)),
  };
}
