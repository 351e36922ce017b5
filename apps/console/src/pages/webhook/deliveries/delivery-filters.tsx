import { Group, Select } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { RecordInput } from '../../../parts/filter-inputs.tsx';
import { calloutStates } from '../webhook-queries.ts';
import { actions, periods, type DeliverySearch } from './delivery-filter.ts';

interface DeliveryFiltersProps {
  readonly search: DeliverySearch;
  readonly set: (change: Partial<DeliverySearch>) => void;
}

/** Narrows the list; the address of the page has it all, so that it can be sent to a colleague. */
export function DeliveryFilters({ search, set }: DeliveryFiltersProps) {
  const [record, setRecord] = useState<number | string>(search.record ?? '');
  const narrow = useDebouncedCallback((value: number | string) => {
    set({ record: typeof value === 'number' ? value : null });
  }, 250);
  const select = { clearable: true, w: 150 };
  return (
    <Group gap="xs">
      <Select
        {...select}
        aria-label="State"
        placeholder="All states"
        data={[...calloutStates]}
        value={search.state}
        onChange={(state) => set({ state })}
      />
      <Select
        {...select}
        aria-label="Action"
        placeholder="All actions"
        data={[...actions]}
        value={search.action}
        onChange={(action) => set({ action })}
      />
      <Select
        {...select}
        aria-label="Made"
        placeholder="Any time"
        data={periods.map(({ value, label }) => ({ value, label }))}
        value={search.period}
        onChange={(period) => set({ period })}
      />
      <RecordInput
        value={record}
        onChange={(value) => {
          setRecord(value);
          narrow(value);
        }}
      />
    </Group>
  );
}
