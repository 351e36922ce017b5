import { queryOptions } from '@tanstack/react-query';
import { operate, type Status } from '../../api/operator.ts';

/** What `callout admin status` shows; read again every few seconds. */
export const statusQuery = queryOptions({
  queryKey: ['operator', 'status'],
  queryFn: () => operate<Status>('GET', '/status'),
  refetchInterval: 5_000,
});
