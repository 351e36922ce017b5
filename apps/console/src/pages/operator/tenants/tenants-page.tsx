import { Anchor, Button, Group, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { operatorPages, type Tenant } from '../../../api/operator.ts';
import { Page } from '../../../parts/page.tsx';
import { RecordsTable } from '../../../parts/table/records-table.tsx';
import { pagesOf } from '../../../parts/table/rows-of.ts';
import { Time } from '../../../parts/show/time.tsx';
import { useSearchParam } from '../../../parts/filter/use-search-param.ts';
import { NewTenant } from './new-tenant.tsx';

/** Who uses this installation. */
export default function TenantsPage() {
  const [search, setSearch] = useSearchParam('search');
  const [searched] = useDebouncedValue(search.trim(), 250);
  const [isMaking, setMaking] = useState(false);
  const tenants = useInfiniteQuery({
    ...operatorPages<Tenant>(['tenants', searched], '/tenants', { search: searched, limit: 50 }),
    placeholderData: keepPreviousData,
  });
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
        {...pagesOf(tenants)}
        keyOf={({ id }) => String(id)}
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

/** A limit in words. */
function limitText(limit: number | null): string {
  if (limit === null) return 'as the installation';
  return limit === 0 ? 'no limit' : limit.toLocaleString();
}
