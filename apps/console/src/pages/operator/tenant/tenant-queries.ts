import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import {
  operate,
  operatorList,
  type Credential,
  type Lockout,
  type Resource,
  type Tenant,
} from '../../../api/operator.ts';

const keyOf = (tenantId: number) => ['operator', 'tenant', tenantId];
/** Read again when anything of the tenant was changed. */
export const tenantKey = keyOf;

export function tenantQuery(tenantId: number) {
  return queryOptions({ queryKey: keyOf(tenantId), queryFn: () => operate<Tenant>('GET', `/tenants/${tenantId}`) });
}

export function resourcesQuery(tenantId: number) {
  return pagesOf<Resource>(tenantId, 'resources');
}

export function credentialsQuery(tenantId: number) {
  return pagesOf<Credential>(tenantId, 'credentials');
}

export function lockoutsOfTenantQuery(tenantId: number) {
  return queryOptions({
    queryKey: [...keyOf(tenantId), 'lockouts'],
    queryFn: async () => (await operatorList<Lockout>('/lockouts', { tenantID: tenantId, limit: 500 })).items,
    refetchInterval: 15_000,
  });
}

function pagesOf<Item>(tenantId: number, what: 'resources' | 'credentials') {
  return infiniteQueryOptions({
    queryKey: [...keyOf(tenantId), what],
    initialPageParam: undefined as number | string | undefined,
    queryFn: ({ pageParam }) => operatorList<Item>(`/tenants/${tenantId}/${what}`, { after: pageParam, limit: 100 }),
    getNextPageParam: ({ nextAfter }) => nextAfter ?? undefined,
  });
}
