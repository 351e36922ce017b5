import { Anchor, Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMember } from '../../api/session.ts';
import { ResourceDialog } from './resource-dialog.tsx';
import { nameOf, resourceQuery, resourcesQuery } from './resources-query.ts';
import { SearchInput } from '../../parts/filter/filter-inputs.tsx';
import { countIn, textIn, useSearchFilter } from '../../parts/filter/search-filter.ts';
import { Problem } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Note } from '../../parts/show/fact.tsx';
import { StateBadge } from '../../parts/show/state-badge.tsx';
import { pagesOf, RecordsTable } from '../../parts/table/records-table.tsx';

/** The persons and API users of the tenant. */
export default function ResourcesPage() {
  const [{ search, edit }, setFilter] = useSearchFilter((query) => ({
    search: textIn(query['search']),
    edit: countIn(query['edit']),
  }));
  const member = useMember();
  const ownId = member?.resource.id;
  const resources = useInfiniteQuery(resourcesQuery(search));
  const [isMaking, setIsMaking] = useState(false);
  const stored = useQuery(resourceQuery(edit ?? 0));
  const mayEdit = member?.kind === 'user' && member.rights.canManageResources;
  return (
    <Page
      title="Resources"
      lead="The persons and API users of the tenant: they own webhooks, act in events, and get mail about what they own. An operator gives them credentials."
      actions={mayEdit && <Button onClick={() => setIsMaking(true)}>New resource</Button>}
    >
      <SearchInput
        className="no-print"
        aria-label="Search by name or address"
        placeholder="Name, user name or address"
        value={search}
        onChange={(text) => setFilter({ search: text })}
        w={{ base: '100%', xs: 300 }}
      />
      <RecordsTable
        label="Resources"
        {...pagesOf(resources)}
        keyOf={({ id }) => String(id)}
        empty={
          search === undefined
            ? { title: 'No resources', description: 'Create the first one.' }
            : { title: 'No resource matches', description: 'Search for a part of a name or a mail address.' }
        }
        columns={[
          { title: 'Id', isNumber: true, cell: ({ id }) => id },
          {
            title: 'Name',
            cell: (resource) => (
              <>
                {mayEdit ? (
                  <Anchor component="button" type="button" onClick={() => setFilter({ edit: resource.id ?? null })}>
                    {nameOf(resource)}
                  </Anchor>
                ) : (
                  nameOf(resource)
                )}
                {resource.id === ownId && <Note span> (you)</Note>}
                {resource.title != null && <Note>{resource.title}</Note>}
              </>
            ),
          },
          { title: 'Mail address', cell: ({ email }) => email },
          { title: 'State', cell: ({ isActive }) => <StateBadge state={isActive === true ? 'active' : 'inactive'} /> },
        ]}
      />
      {isMaking && <ResourceDialog stored={undefined} isOwn={false} onClose={() => setIsMaking(false)} />}
      {mayEdit && edit !== undefined && stored.data && (
        <ResourceDialog stored={stored.data} isOwn={edit === ownId} onClose={() => setFilter({ edit: null })} />
      )}
      {stored.error && <Problem title="The resource could not be read" error={stored.error} />}
    </Page>
  );
}
