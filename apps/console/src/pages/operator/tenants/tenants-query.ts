import { infiniteQueryOptions } from '@tanstack/react-query';
import { operatorList, type Tenant } from '../../../api/operator.ts';

/** Tenants by id, page by page. @param search part of a name; empty: all. */
export function tenantsQuery(search: string) {
  return infiniteQueryOptions({
    queryKey: ['operator', 'tenants', search],
    initialPageParam: undefined as number | string | undefined,
    queryFn: ({ pageParam }) => operatorList<Tenant>('/tenants', { search, after: pageParam, limit: 50 }),
    getNextPageParam: ({ nextAfter }) => nextAfter ?? undefined,
  });
}
