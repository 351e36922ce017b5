import { Button } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { operatorPages, type Tenant } from '../../../api/operator.ts';
import { OperationDialog } from '../operation/operation-dialog.tsx';
import { SearchInput } from '../../../parts/filter/filter-inputs.tsx';
import { textIn, useSearchFilter } from '../../../parts/filter/search-filter.ts';
import { Page } from '../../../parts/page.tsx';
import { PageLink } from '../../../parts/show/links.tsx';
import { Time } from '../../../parts/show/time.tsx';
import { pagesOf, RecordsTable } from '../../../parts/table/records-table.tsx';

/** Who uses the installation. */
export default function TenantsPage() {
  const [{ search }, setFilter] = useSearchFilter((query) => ({ search: textIn(query['search']) }));
  const navigate = useNavigate();
  const [isMaking, setMaking] = useState(false);
  const tenants = useInfiniteQuery({
    ...operatorPages<Tenant>(['tenants', search], 'listTenants', { search, limit: 50 }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title="Tenants"
      lead="Who uses this installation, each with its own resources, records and webhooks."
      actions={<Button onClick={() => setMaking(true)}>New tenant</Button>}
    >
      {isMaking && (
        <OperationDialog
          name="createTenant"
          onClose={() => setMaking(false)}
          onDone={({ id }) => void navigate({ to: `/operator/tenants/${id}` })}
        />
      )}
      <SearchInput
        className="no-print"
        aria-label="Search by name"
        placeholder="Part of a name"
        value={search}
        onChange={(text) => setFilter({ search: text })}
        w={{ base: '100%', xs: 260 }}
      />
      <RecordsTable
        label="Tenants"
        {...pagesOf(tenants)}
        keyOf={({ id }) => String(id)}
        empty={
          search === undefined
            ? { title: 'No tenants yet', description: 'Create the first one: resources and credentials come next.' }
            : { title: 'No tenant matches', description: 'Search for a part of its name.' }
        }
        columns={[
          {
            title: 'Name',
            cell: ({ id, name }) => <PageLink to={`/operator/tenants/${id}`}>{name}</PageLink>,
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
