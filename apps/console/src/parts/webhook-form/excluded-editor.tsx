import { Pill, Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { Reading } from '../reading.tsx';
import { Section } from '../section.tsx';
import { resourcesByIdQuery, resourcesQuery } from './resources-query.ts';
import { lazyPart } from '../lazy-part.tsx';

// Only portals need it.
const AddById = lazyPart(() => import('./add-by-id.tsx'));

interface ExcludedEditorProps {
  readonly excluded: readonly number[];
  readonly set: (excluded: readonly number[]) => void;
  readonly error?: string | undefined;
}

/** The resources whose changes make no callout, such as the integration itself. */
export function ExcludedEditor({ excluded, set, error }: ExcludedEditorProps) {
  const [search, setSearch] = useState('');
  const [searched] = useDebouncedValue(search.trim(), 250);
  const found = useQuery(resourcesQuery(searched));
  const named = useQuery(resourcesByIdQuery(excluded));
  const labels = new Map([...(named.data ?? []), ...(found.data ?? [])].map(({ id, label }) => [id, label]));
  const add = (id: number) => set([...excluded.filter((one) => one !== id), id]);
  return (
    <Section
      title="Excluded resources"
      lead="What these people and programs change makes no callout. Exclude your own integration, so that it is not notified of what it wrote itself."
    >
      {found.data === null ? (
        <Suspense fallback={<Reading label="the input" />}>
          <AddById add={add} error={error} />
        </Suspense>
      ) : (
        <Select
          label="Exclude a resource"
          placeholder="Search by name, mail address or id"
          maw={480}
          searchable
          value={null}
          searchValue={search}
          onSearchChange={setSearch}
          filter={({ options }) => options}
          onChange={(id) => {
            if (id === null) return;
            add(Number(id));
            setSearch('');
          }}
          nothingFoundMessage={found.isPending ? 'Searching …' : 'No resource is called so'}
          data={(found.data ?? [])
            .filter(({ id }) => !excluded.includes(id))
            .map(({ id, label }) => ({ value: String(id), label }))}
          error={error ?? (found.isError ? 'The resources could not be read' : undefined)}
        />
      )}
      {excluded.length === 0 ? (
        <Text size="sm">No resource is excluded.</Text>
      ) : (
        <Pill.Group aria-label="Excluded">
          {excluded.map((id) => (
            <Pill
              key={id}
              size="md"
              withRemoveButton
              onRemove={() => set(excluded.filter((one) => one !== id))}
              removeButtonProps={{
                'aria-label': `Remove ${labels.get(id) ?? `resource ${id}`}`,
                'aria-hidden': false,
                tabIndex: 0,
              }}
            >
              {labels.get(id) ?? `Resource ${id}`}
            </Pill>
          ))}
        </Pill.Group>
      )}
    </Section>
  );
}
