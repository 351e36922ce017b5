import { Group, Select } from '@mantine/core';
import { EntitySelect, RecordInput } from '../../parts/filter-inputs.tsx';
import { MomentInput } from '../../parts/moment-input.tsx';
import { SearchInput } from '../../parts/search-input.tsx';
import { actions, type EventFilter } from './events-query.ts';

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
      <EntitySelect value={filter.entityType ?? null} onChange={(entityType) => onChange({ entityType })} />
      <RecordInput
        value={filter.recordID ?? ''}
        onChange={(recordID) => onChange({ recordID: typeof recordID === 'number' ? recordID : null })}
      />
      <Select
        aria-label="Action"
        placeholder="All actions"
        clearable
        data={[...actions]}
        value={filter.action ?? null}
        onChange={(action) => onChange({ action })}
        w={150}
      />
      <MomentInput label="From" value={filter.since} onChange={(since) => onChange({ since })} />
      <MomentInput label="Until" value={filter.until} onChange={(until) => onChange({ until })} />
    </Group>
  );
}
