import { Alert, Button, Group, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { entityOfType } from '../../api/entities.ts';
import { useMember } from '../../api/session.ts';
import { DefinitionForm } from './definition-form.tsx';
import { definitionQuery, definitionsQuery, entityTypes, type ListedDefinition } from './definitions-query.ts';
import { DeleteDefinition } from './delete-definition.tsx';
import { FilterSelect, SearchInput } from '../../parts/filter/filter-inputs.tsx';
import { textIn, useSearchFilter, wordIn } from '../../parts/filter/search-filter.ts';
import { Problem } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Note } from '../../parts/show/fact.tsx';
import { type Column, pagesOf, RecordsTable } from '../../parts/table/records-table.tsx';

type Task = { readonly kind: 'make' } | { readonly kind: 'change' | 'delete'; readonly id: number };

/** The fields added by the tenant, for admins alone. */
export default function UserDefinedFieldsPage() {
  const member = useMember();
  if (member === undefined) return null;
  if (member.kind === 'user' && member.rights.canManageUserDefinedFields) return <Definitions />;
  return (
    <Page title="User-defined fields">
      <Alert color="gray" title="Only an admin sees these">
        Sign in with a credential that has the role admin. Webhooks can use all fields that are defined, whatever your
        role: choose them on the webhook’s page.
      </Alert>
    </Page>
  );
}

function Definitions() {
  const [{ entityType, search }, setFilter] = useSearchFilter((query) => ({
    entityType: wordIn(entityTypes, query['entityType']),
    search: textIn(query['search']),
  }));
  const [task, setTask] = useState<Task | null>(null);
  const close = () => setTask(null);
  const stored = useQuery(definitionQuery(task !== null && 'id' in task ? task.id : 0));
  const definitions = useInfiniteQuery(definitionsQuery(entityType, search));
  const isFiltered = entityType !== undefined || search !== undefined;
  return (
    <Page
      title="User-defined fields"
      lead="Fields that the tenant adds to its entities. Webhooks follow and carry them like all others."
      actions={<Button onClick={() => setTask({ kind: 'make' })}>New field</Button>}
    >
      <Group className="no-print">
        <SearchInput
          aria-label="Search by name or label"
          placeholder="Name or label"
          value={search}
          onChange={(text) => setFilter({ search: text })}
          w={{ base: '100%', xs: 260 }}
        />
        <FilterSelect
          label="Entity"
          all="All entities"
          data={entityTypes.map((type) => ({ value: type, label: entityOfType(type)?.label ?? type }))}
          value={entityType}
          onChange={(type) => setFilter({ entityType: type })}
        />
      </Group>
      <RecordsTable
        label="User-defined fields"
        {...pagesOf(definitions)}
        keyOf={({ id }) => String(id)}
        empty={
          isFiltered
            ? { title: 'No field matches', description: 'Search for a part of its name, or choose all entities.' }
            : {
                title: 'No user-defined fields yet',
                description: 'Create one for what your records hold beyond the standard fields.',
              }
        }
        columns={columnsOf(setTask)}
      />
      {(task?.kind === 'make' || (task?.kind === 'change' && stored.data)) && (
        <DefinitionForm stored={stored.data} entityType={entityType} onClose={close} />
      )}
      {task?.kind === 'delete' && stored.data && <DeleteDefinition stored={stored.data} onClose={close} />}
      {stored.error && <Problem title="The field could not be read" error={stored.error} />}
    </Page>
  );
}

const columnsOf = (begin: (task: Task) => void): readonly Column<ListedDefinition>[] => [
  {
    title: 'Name',
    cell: ({ name, label }) => (
      <>
        {name}
        {label !== name && <Note>{label} in callouts</Note>}
      </>
    ),
  },
  {
    title: 'Entity',
    cell: ({ entityType: type }) => <Text className="one-line">{entityOfType(type ?? '')?.label ?? type}</Text>,
  },
  {
    title: 'Type',
    cell: ({ dataType, listValues = [] }) => (
      <>
        {dataType}
        {listValues.length > 0 && <Note lineClamp={2}>{listValues.map(({ label }) => label).join(', ')}</Note>}
      </>
    ),
  },
  {
    title: 'Change',
    cell: (definition) => (
      <Group gap="xs" wrap="nowrap" className="no-print">
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => begin({ kind: 'change', id: Number(definition.id) })}
          aria-label={`Edit ${definition.name}`}
        >
          Edit
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => begin({ kind: 'delete', id: Number(definition.id) })}
          aria-label={`Delete ${definition.name}`}
        >
          Delete
        </Button>
      </Group>
    ),
  },
];
