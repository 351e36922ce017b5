import { useState } from 'react';
import { Group } from '@mantine/core';
import { type CalloutFilter, calloutStates } from '../webhook-queries.ts';
import { FilterSelect, RecordInput } from '../../../parts/filter/filter-inputs.tsx';
import { countIn, type Search, useSearchFilter, wordIn } from '../../../parts/filter/search-filter.ts';
import { stateWords } from '../../../parts/show/state-badge.tsx';

const hourMs = 3_600_000;

export const actions = ['Create', 'Update', 'Delete', 'Deactivated'] as const;
/** Not a state of the API, which has a separate filter for retried callouts. */
export const failing = 'failing';
const states = [failing, ...calloutStates] as const;
export const periods = [
  { value: '1h', label: 'Last hour', ms: hourMs },
  { value: '24h', label: 'Last 24 hours', ms: 24 * hourMs },
  { value: '7d', label: 'Last 7 days', ms: 7 * 24 * hourMs },
] as const;

/** The filter in the address of the page, without meaningless values. */
export interface DeliverySearch {
  readonly state: (typeof states)[number] | undefined;
  readonly action: (typeof actions)[number] | undefined;
  readonly record: number | undefined;
  readonly period: (typeof periods)[number]['value'] | undefined;
}

const searchOf = (query: Search): DeliverySearch => ({
  state: wordIn(states, query['state']),
  action: wordIn(actions, query['action']),
  record: countIn(query['record']),
  period: wordIn(
    periods.map(({ value }) => value),
    query['period'],
  ),
});

/** The filter in the address, in words of the page and in words of the API. */
export function useDeliveryFilter() {
  const [search, set] = useSearchFilter(searchOf);
  const { state, action, record, period } = search;
  const since = useSince(period);
  const filter: CalloutFilter = {
    ...(state === failing ? { isFailing: 'true' as const } : state !== undefined && { state }),
    ...(action !== undefined && { action }),
    ...(record !== undefined && { recordID: record }),
    ...(since !== undefined && { since }),
  };
  return { search, filter, set };
}

/** The beginning of a period until now, fixed while the period is unchanged, so the list stays, too. */
function useSince(period: string | undefined): string | undefined {
  const begin = () => {
    const ms = periods.find(({ value }) => value === period)?.ms;
    return { period, since: ms === undefined ? undefined : new Date(Date.now() - ms).toISOString() };
  };
  const [begun, setBegun] = useState(begin);
  if (begun.period === period) return begun.since;
  const next = begin();
  setBegun(next);
  return next.since;
}

interface DeliveryFiltersProps {
  readonly search: DeliverySearch;
  readonly set: (change: { readonly [Name in keyof DeliverySearch]?: DeliverySearch[Name] | null }) => void;
}

/** Narrows the list; the address of the page has the whole filter, for sending to a colleague. */
export function DeliveryFilters({ search, set }: DeliveryFiltersProps) {
  return (
    <Group gap="xs">
      <FilterSelect
        label="State"
        all="All states"
        data={[
          { value: failing, label: 'failing, being retried' },
          ...calloutStates.map((state) => ({ value: state, label: stateWords(state) })),
        ]}
        value={search.state}
        onChange={(state) => set({ state })}
      />
      <FilterSelect
        label="Action"
        all="All actions"
        data={actions.map((action) => ({ value: action, label: action }))}
        value={search.action}
        onChange={(action) => set({ action })}
      />
      <FilterSelect
        label="Made"
        all="Any time"
        data={periods}
        value={search.period}
        onChange={(period) => set({ period })}
      />
      <RecordInput value={search.record} onChange={(record) => set({ record })} />
    </Group>
  );
}
