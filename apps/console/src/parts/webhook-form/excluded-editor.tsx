import { MultiSelect, TagsInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { resourcesByIdQuery, resourcesQuery } from './resources-query.ts';

interface ExcludedEditorProps {
  readonly excluded: readonly number[];
  readonly set: (excluded: readonly number[]) => void;
  readonly error: string | undefined;
}

/** The resources whose changes make no callout, such as the integration itself. */
export default function ExcludedEditor({ excluded, set, error }: ExcludedEditorProps) {
  const [search, setSearch] = useState('');
  const [searched] = useDebouncedValue(search.trim(), 250);
  const matches = useQuery(resourcesQuery(searched));
  const named = useQuery(resourcesByIdQuery(excluded));
  const labels = new Map([...(named.data ?? []), ...(matches.data ?? [])].map(({ id, label }) => [id, label]));
  const ids = new Set([...(matches.data ?? []).map(({ id }) => id), ...excluded]);
  const props = {
    maw: 560,
    value: excluded.map(String),
    onChange: (chosen: readonly string[]) => set(chosen.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0)),
  };
  // Resources cannot be searched in a portal.
  if (matches.data === null) {
    return <TagsInput {...props} label="Ids of excluded resources" placeholder="Id, then Enter" error={error} />;
  }
  return (
    <MultiSelect
      {...props}
      label="Exclude a resource"
      placeholder="Search by name, mail address or id"
      searchable
      hidePickedOptions
      searchValue={search}
      onSearchChange={setSearch}
      // The API has searched.
      filter={({ options }) => options}
      nothingFoundMessage={matches.isPending ? 'Searching …' : 'No resource has this name, address or id'}
      data={[...ids].map((id) => ({ value: String(id), label: labels.get(id) ?? `Resource ${id}` }))}
      error={error ?? (matches.isError ? 'The resources could not be read' : undefined)}
    />
  );
}
