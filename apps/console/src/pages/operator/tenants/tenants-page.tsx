import { Anchor, Button, Group, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Page } from '../../../parts/page.tsx';
import { RecordsTable } from '../../../parts/table/records-table.tsx';
import { Time } from '../../../parts/show/time.tsx';
import { useSearchParam } from '../../../parts/filter/use-search-param.ts';
import { limitText } from '../limit-text.ts';
import { NewTenant } from './new-tenant.tsx';
import { tenantsQuery } from './tenants-query.ts';

/** Who uses this installation. */
export default function TenantsPage() {
  const [search, setSearch] = useSearchParam('search');
  const [searched] = useDebouncedValue(search.trim(), 250);
  const [isMaking, setMaking] = useState(false);
  const tenants = useInfiniteQuery({ ...tenantsQuery(searched), placeholderData: keepPreviousData });
  return (
    <Page
      title="Tenants"
      lead="Who uses this installation, each with its own resources, records and webhooks."
      actions={<Button onClick={() => setMaking(true)}>New tenant</Button>}
    >
      <NewTenant isOpen={isMaking} onClose={() => setMaking(false)} />
      <Group className="no-print">
        <TextInput
          aria-label="Search by name"
          placeholder="Part of a name"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          w={260}
        />
      </Group>
      <RecordsTable
        label="Tenants"
        rows={tenants.data?.pages.flatMap(({ items }) => items)}
        keyOf={({ id }) => String(id)}
        error={tenants.error}
        retry={() => void tenants.refetch()}
        more={tenants.hasNextPage ? () => void tenants.fetchNextPage() : undefined}
        isReadingMore={tenants.isFetchingNextPage}
        empty={
          searched === ''
            ? { title: 'No tenants yet', description: 'Create the first one: resources and credentials come next.' }
            : { title: 'No tenant matches', description: 'Search for a part of its name.' }
        }
        columns={[
          {
            title: 'Name',
            cell: ({ id, name }) => (
              <Anchor component={Link} to={`/operator/tenants/${id}`}>
                {name}
              </Anchor>
            ),
          },
          { title: 'Id', isNumber: true, cell: ({ id }) => id },
          { title: 'Callouts an hour', cell: ({ calloutThreshold }) => limitText(calloutThreshold) },
          { title: 'Requests an hour', cell: ({ apiRequestsPerHour }) => limitText(apiRequestsPerHour) },
          {
            title: 'Since',
            cell: ({ createDateTime, deletingDateTime }) =>
              deletingDateTime === null ? <Time value={createDateTime} /> : 'is being deleted',
          },
        ]}
      />
    </Page>
  );
}
