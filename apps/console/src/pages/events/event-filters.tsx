import { Group } from '@mantine/core';
import { actions, type EventFilter } from './events-query.ts';
import {
  EntitySelect,
  FilterSelect,
  MomentInput,
  RecordInput,
  SearchInput,
} from '../../parts/filter/filter-inputs.tsx';

interface EventFiltersProps {
  readonly filter: EventFilter;
  readonly onChange: (change: { readonly [Name in keyof EventFilter]?: EventFilter[Name] | null }) => void;
}

/** What the events are narrowed to. */
export function EventFilters({ filter, onChange }: EventFiltersProps) {
  return (
    <Group className="no-print" align="flex-end">
      <SearchInput
        aria-label="Event id"
        placeholder="Event id, all of it"
        value={filter.eventID}
        onChange={(eventID) => onChange({ eventID })}
        w={{ base: '100%', xs: 300 }}
      />
      <EntitySelect value={filter.entityType} onChange={(entityType) => onChange({ entityType })} />
      <RecordInput value={filter.recordID} onChange={(recordID) => onChange({ recordID })} />
      <FilterSelect
        label="Action"
        all="All actions"
        data={actions.map((action) => ({ value: action, label: action }))}
        value={filter.action}
        onChange={(action) => onChange({ action })}
      />
      <MomentInput label="From" value={filter.since} onChange={(since) => onChange({ since })} />
      <MomentInput label="Until" value={filter.until} onChange={(until) => onChange({ until })} />
    </Group>
  );
}
