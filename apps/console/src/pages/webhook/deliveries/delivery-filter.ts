import { useState } from 'react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { calloutStates, type CalloutFilter } from '../webhook-queries.ts';

const route = getRouteApi('/webhooks/$entityType/$webhookId');
const hourMs = 3_600_000;

export const actions = ['Create', 'Update', 'Delete', 'Deactivated', 'Digest'] as const;
/** Not a state of the API, which has a filter of its own for callouts that are tried again. */
export const failing = 'failing';
const states = [failing, ...calloutStates] as const;
export const periods = [
  { value: '1h', label: 'Last hour', ms: hourMs },
  { value: '24h', label: 'Last 24 hours', ms: 24 * hourMs },
  { value: '7d', label: 'Last 7 days', ms: 7 * 24 * hourMs },
] as const;

/** What the address of the page narrows the list to; what it cannot mean is left out. */
export interface DeliverySearch {
  readonly state: (typeof states)[number] | null;
  readonly action: (typeof actions)[number] | null;
  readonly record: number | null;
  readonly period: (typeof periods)[number]['value'] | null;
}

function searchOf(given: Readonly<Record<string, unknown>>): DeliverySearch {
  const oneOf = <Word extends string>(words: readonly Word[], word: unknown) =>
    words.find((one) => one === word) ?? null;
  const record = Number(given['record']);
  return {
    state: oneOf(states, given['state']),
    action: oneOf(actions, given['action']),
    record: Number.isSafeInteger(record) && record > 0 ? record : null,
    period: oneOf(
      periods.map(({ value }) => value),
      given['period'],
    ),
  };
}

/** The filter that the address holds, in words of the page and in those of the API. */
export function useDeliveryFilter() {
  const search = searchOf(route.useSearch());
  const navigate = useNavigate();
  const { state, action, record, period } = search;
  const since = useSince(period);
  const filter: CalloutFilter = {
    ...(state === failing ? { isFailing: 'true' as const } : state !== null && { state }),
    ...(action !== null && { action }),
    ...(record !== null && { recordID: record }),
    ...(since !== undefined && { since }),
  };
  const set = (change: Partial<DeliverySearch>) =>
    void navigate({
      to: '.',
      search: (before: object) => withoutNulls({ ...before, ...search, ...change }),
      replace: true,
    });
  return { search, filter, set };
}

const withoutNulls = (search: object) =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== null));

/** When a period begins that ends now; it stays so while the period is the same, and with it the list that it narrows. */
function useSince(period: string | null): string | undefined {
  const begin = () => {
    const ms = periods.find(({ value }) => value === period)?.ms;
    return { period, since: ms === undefined ? undefined : new Date(Date.now() - ms).toISOString() };
  };
  const [begun, setBegun] = useState(begin);
  if (begun.period === period) return begun.since;
  const next = begin();
  setBegun(next);
  return next.since;
}
