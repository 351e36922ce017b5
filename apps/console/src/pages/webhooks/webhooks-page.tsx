import { Box, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { entityOfType } from '../../api/entities.ts';
import { useMember } from '../../api/session.ts';
import { Activity, ErrorRate } from './webhook-activity.tsx';
import { filterOf, type ListedWebhook, rowsOfPage, webhooksQuery, webhookStates } from './webhooks-query.ts';
import { EntitySelect, FilterSelect, SearchInput } from '../../parts/filter/filter-inputs.tsx';
import { useSearchFilter } from '../../parts/filter/search-filter.ts';
import { Page } from '../../parts/page.tsx';
import { Note } from '../../parts/show/fact.tsx';
import { inConsole } from '../../parts/show/in-console.ts';
import { PageButton, PageLink } from '../../parts/show/links.tsx';
import { StateBadge, stateWords } from '../../parts/show/state-badge.tsx';
import { Sentence, Time } from '../../parts/show/time.tsx';
import { Pages } from '../../parts/table/pages.tsx';
import { type Column, RecordsTable } from '../../parts/table/records-table.tsx';

/** All webhooks in a list, each with state and reason. The API searches, sorts and pages. */
export default function WebhooksPage() {
  const [filter, setFilter] = useSearchFilter(filterOf);
  const member = useMember();
  const webhooks = useQuery(webhooksQuery(filter));
  const mayCreate = member?.rights.canCreateWebhooks === true && member.webhook === null;
  const isFiltered = filter.search !== undefined || filter.state !== undefined || filter.entityType !== undefined;
  return (
    <Page
      title="Webhooks"
      lead="Who is notified of changes, and where."
      actions={mayCreate && <PageButton to="/webhooks/new">New webhook</PageButton>}
    >
      <Group className="no-print">
        <SearchInput
          aria-label="Search by name or URL"
          placeholder="Name or URL"
          value={filter.search}
          onChange={(search) => setFilter({ search, page: null })}
          w={{ base: '100%', xs: 260 }}
        />
        <FilterSelect
          label="State"
          all="All states"
          data={webhookStates.map((state) => ({ value: state, label: stateWords(state) }))}
          value={filter.state}
          onChange={(state) => setFilter({ state, page: null })}
        />
        <EntitySelect value={filter.entityType} onChange={(entityType) => setFilter({ entityType, page: null })} />
      </Group>
      <RecordsTable
        label="Webhooks"
        minWidth={960}
        rows={webhooks.data?.items}
        error={webhooks.error}
        retry={() => void webhooks.refetch()}
        keyOf={({ webhookGUID }) => webhookGUID}
        sort={filter.sort}
        onSort={(sort) => setFilter({ sort, page: null })}
        empty={
          isFiltered
            ? {
                title: 'No webhook matches',
                description: 'Search for a part of its name or URL, or choose all states and entities.',
              }
            : {
                title: 'No webhooks yet',
                description: mayCreate
                  ? 'A webhook tells your program when a record changes. Create the first one.'
                  : 'A webhook tells a program when a record changes. Your resource is not allowed to create one.',
              }
        }
        columns={columns}
      />
      {webhooks.data && (
        <Pages
          page={filter.page}
          rowsOfPage={rowsOfPage}
          total={webhooks.data.totalCount}
          onChange={(page) => setFilter({ page: page === 1 ? null : page })}
        />
      )}
    </Page>
  );
}

const columns: readonly Column<ListedWebhook>[] = [
  {
    title: 'Name',
    sort: 'name',
    cell: ({ entityType, webhookID, name, webhookUrl }) => (
      <Box miw={{ base: 160, md: 190 }}>
        <PageLink to={`/webhooks/${entityType}/${webhookID}`}>{name}</PageLink>
        <Note>{webhookUrl === 'pull:' ? 'fetched by a program' : webhookUrl}</Note>
      </Box>
    ),
  },
  {
    title: 'State',
    sort: 'state',
    cell: ({ state, sentence }) => (
      <Box miw={{ base: 160, md: 190 }}>
        <StateBadge state={state} />
        {state !== 'delivering' && (
          <Note mt={4}>
            <Sentence text={inConsole(sentence)} />
          </Note>
        )}
      </Box>
    ),
  },
  {
    title: 'Last delivery',
    cell: ({ lastDeliveryDateTime }) =>
      lastDeliveryDateTime === null ? (
        <Text c="dimmed" className="one-line">
          none in 30 days
        </Text>
      ) : (
        <Time value={lastDeliveryDateTime} isStacked />
      ),
  },
  { title: 'Errors, 24 h', cell: ({ last24Hours }) => <ErrorRate activity={last24Hours} /> },
  { title: 'Attempts, 24 h', cell: ({ last24Hours }) => <Activity activity={last24Hours} /> },
  {
    title: 'Entity',
    sort: 'entityType',
    cell: ({ entityType }) => <Text className="one-line">{entityOfType(entityType)?.label ?? entityType}</Text>,
  },
];
