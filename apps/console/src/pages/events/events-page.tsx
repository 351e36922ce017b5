import { Anchor, Group, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { entityOfType } from '../../api/entities.ts';
import { EntitySelect, RecordInput } from '../../parts/filter-inputs.tsx';
import { Page } from '../../parts/page.tsx';
import { RecordsTable } from '../../parts/records-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { eventsQuery } from './events-query.ts';

/** What changed, newest first. Whether it made callouts, and why not, is told by each event's page. */
export default function EventsPage() {
  const [eventID, setEventID] = useState('');
  const [entityType, setEntityType] = useState<string | null>(null);
  const [record, setRecord] = useState<number | string>('');
  const [filter] = useDebouncedValue(
    {
      ...(eventID.trim() !== '' && { eventID: eventID.trim() }),
      ...(entityType !== null && { entityType }),
      ...(typeof record === 'number' && { recordID: record }),
    },
    250,
  );
  const events = useInfiniteQuery(eventsQuery(filter));
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Page title="Events" lead="What changed in records, and what came of it.">
      <Group className="no-print">
        <TextInput
          aria-label="Event id"
          placeholder="Event id"
          value={eventID}
          onChange={(event) => setEventID(event.currentTarget.value)}
          w={300}
        />
        <EntitySelect value={entityType} onChange={setEntityType} />
        <RecordInput value={record} onChange={setRecord} />
      </Group>
      <RecordsTable
        label="Events"
        rows={events.data?.pages.flatMap(({ items }) => items)}
        keyOf={({ serviceEventID, eventID: id }) => serviceEventID ?? id}
        error={events.error}
        retry={() => void events.refetch()}
        more={events.hasNextPage ? () => void events.fetchNextPage() : undefined}
        isReadingMore={events.isFetchingNextPage}
        empty={
          isFiltered
            ? {
                title: 'No event matches',
                description: 'Event ids must be whole. Events are kept for as long as the settings say.',
              }
            : { title: 'No events yet', description: 'One is made when a record is created, changed or deleted.' }
        }
        columns={[
          {
            title: 'Event',
            cell: ({ eventID: id }) => (
              <Anchor component={Link} to={`/events/${encodeURIComponent(id)}`} size="sm">
                {id}
              </Anchor>
            ),
          },
          { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
          {
            title: 'What',
            cell: ({ action, entityType: type, recordID }) =>
              `${action ?? ''} of ${entityOfType(type ?? '')?.one ?? type ?? ''} ${recordID ?? ''}`,
          },
          { title: 'When', cell: ({ createDateTime }) => <Time value={createDateTime} /> },
        ]}
      />
    </Page>
  );
}
