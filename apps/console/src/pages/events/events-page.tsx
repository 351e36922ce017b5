import type { Schemas } from '@callout/client';
import { Group } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { EventFilters } from './event-filters.tsx';
import { eventsQuery, filterOf } from './events-query.ts';
import { useSearchFilter } from '../../parts/filter/search-filter.ts';
import { Page } from '../../parts/page.tsx';
import { Note } from '../../parts/show/fact.tsx';
import { PageLink } from '../../parts/show/links.tsx';
import { ResourceName } from '../../parts/show/resource-name.tsx';
import { RecordName } from '../../parts/show/record-name.tsx';
import { type State, StateBadge } from '../../parts/show/state-badge.tsx';
import { Time } from '../../parts/show/time.tsx';
import { pagesOf, RecordsTable } from '../../parts/table/records-table.tsx';

type ListedEvent = Schemas['LoggedEvent'];

/**
 * What changed, newest first, and the results of the callouts. The page of each event says why the event made callouts,
 * or no callout.
 */
export default function EventsPage() {
  const [filter, setFilter] = useSearchFilter(filterOf);
  const events = useInfiniteQuery({
    ...eventsQuery(filter),
    // A person who has gone on to older events is reading, and every page would be read again.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? false : 5_000),
  });
  const list = pagesOf(events);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <Page title="Events" lead="What changed in records. Open an event to see its result for each webhook, and why.">
      <EventFilters filter={filter} onChange={setFilter} />
      <RecordsTable
        label="Events"
        {...list}
        keyOf={({ serviceEventID, eventID }) => serviceEventID ?? eventID}
        empty={
          isFiltered
            ? {
                title: 'No event matches',
                description:
                  'Enter event ids in full. An update that changed nothing makes no event, and old events are removed after the retention time.',
              }
            : {
                title: 'No events yet',
                description: 'An event is recorded when a record is created, changed or deleted.',
              }
        }
        columns={[
          {
            title: 'What',
            cell: ({ eventID, action, entityType, recordID }) => (
              <>
                <PageLink to={`/events/${encodeURIComponent(eventID)}`}>
                  {action} of <RecordName entityType={entityType ?? ''} recordID={recordID ?? 0} />
                </PageLink>
                <Note>{eventID}</Note>
              </>
            ),
          },
          { title: 'Callouts', cell: (event) => <CalloutsMade {...event} /> },
          {
            title: 'By resource',
            cell: ({ resourceID }) =>
              resourceID != null && <ResourceName id={resourceID} allIds={list.rows?.map((row) => row.resourceID)} />,
          },
          { title: 'Accepted', cell: ({ createDateTime }) => <Time value={createDateTime} /> },
        ]}
      />
    </Page>
  );
}

const outcomes = ['failed', 'cancelled', 'open', 'delivered', 'merged'] as const;
const looks: Readonly<Partial<Record<(typeof outcomes)[number], State>>> = { open: 'due' };

/** How many callouts an event made, by their result, failed callouts first. */
function CalloutsMade({ state, callouts }: Pick<ListedEvent, 'state' | 'callouts'>) {
  if (state === 'pending') return <StateBadge state="pending" />;
  const kept = outcomes.reduce((sum, outcome) => sum + callouts[outcome], 0);
  if (kept === 0) return <Note>{callouts.made === 0 ? 'none' : 'no longer kept'}</Note>;
  return (
    <Group gap={6}>
      {outcomes.map(
        (outcome) =>
          callouts[outcome] > 0 && (
            <StateBadge key={outcome} state={looks[outcome] ?? (outcome as State)} count={callouts[outcome]} />
          ),
      )}
    </Group>
  );
}
