import { ApiError } from '@callout/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** A person or API user. */
export interface ResourceChoice {
  readonly id: number;
  /** Name and address, where they are known. */
  readonly label: string;
}

const mostFound = 50;
const searched = ['firstName', 'lastName', 'email', 'userName'] as const;

/** Resources by a part of their name or address, or by their id; null: the caller may not list them. */
export function resourcesQuery(text: string) {
  return queryOptions({
    queryKey: ['resources', 'search', text],
    staleTime: 30_000,
    placeholderData: keepPreviousData,
    queryFn: () => readResources(text === '' ? [] : [{ op: 'or' as const, items: conditionsOf(text) }]),
  });
}

/** The resources with these ids, for their names. */
export function resourcesByIdQuery(ids: readonly number[]) {
  return queryOptions({
    queryKey: ['resources', 'named', ids],
    enabled: ids.length > 0,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    queryFn: () => readResources([{ op: 'in' as const, field: 'id', value: ids.slice(0, 500) }], 500),
  });
}

function conditionsOf(text: string) {
  const conditions: object[] = searched.map((field) => ({ op: 'contains' as const, field, value: text }));
  return /^\d{1,9}$/u.test(text)
    ? [...conditions, { op: 'eq' as const, field: 'id', value: Number(text) }]
    : conditions;
}

async function readResources(filter: readonly object[], maxRecords = mostFound): Promise<ResourceChoice[] | null> {
  try {
    const { data } = await api.POST('/v1.0/Resources/query', {
      body: { Filter: filter, MaxRecords: maxRecords } as never,
    });
    return data.items.map(({ id, firstName, lastName, email }) => ({
      id: Number(id),
      label: [[firstName, lastName].filter(Boolean).join(' '), email].filter(Boolean).join(', ') || `Resource ${id}`,
    }));
  } catch (error) {
    // A portal sees no resource but its own.
    if (error instanceof ApiError && error.status === 403) return null;
    throw error;
  }
}
