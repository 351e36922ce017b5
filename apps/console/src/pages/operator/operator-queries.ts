import { queryOptions } from '@tanstack/react-query';
import { operate, operatorList, type Key, type Status, type Zone } from '../../api/operator.ts';

/** What `callout admin status` shows; read again every few seconds. */
export const statusQuery = queryOptions({
  queryKey: ['operator', 'status'],
  queryFn: () => operate<Status>('GET', '/status'),
  refetchInterval: 5_000,
});

/** All zones: an installation has a handful. */
export const zonesQuery = queryOptions({
  queryKey: ['operator', 'zones'],
  queryFn: async () => (await operatorList<Zone>('/zones', { limit: 500 })).items,
});

export const keysQuery = queryOptions({
  queryKey: ['operator', 'keys'],
  queryFn: async () => (await operatorList<Key>('/keys')).items,
  refetchInterval: 15_000,
});
