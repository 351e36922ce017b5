import { Group } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { FilterSelect, RecordInput } from '../../../parts/filter/filter-inputs.tsx';
import { stateWords } from '../../../parts/show/state-badge.tsx';
import { calloutStates } from '../webhook-queries.ts';
import { actions, failing, periods, type DeliverySearch } from './delivery-filter.ts';

interface DeliveryFiltersProps {
  readonly search: DeliverySearch;
  readonly set: (change: { readonly [Name in keyof DeliverySearch]?: DeliverySearch[Name] | null }) => void;
}

/** Narrows the list; the address of the page has it all, so that it can be sent to a colleague. */
export function DeliveryFilters({ search, set }: DeliveryFiltersProps) {
  const [record, setRecord] = useState(search.record);
  const narrow = useDebouncedCallback((value: number | null) => set({ record: value }), 250);
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
      <RecordInput
        value={record}
        onChange={(value) => {
          setRecord(value ?? undefined);
          narrow(value);
        }}
      />
    </Group>
  );
}
