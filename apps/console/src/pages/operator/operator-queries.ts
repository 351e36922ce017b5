import { queryOptions } from '@tanstack/react-query';
import {
  type Credential,
  type Key,
  operate,
  operatorList,
  operatorPages,
  type Resource,
  type Status,
  type Tenant,
  type Zone,
} from '../../api/operator.ts';

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

/** With what the keys of its queries begin: they are read again when anything of the tenant was changed. */
export const tenantKey = (tenantId: number) => ['operator', 'tenant', tenantId];

export function tenantQuery(tenantId: number) {
  return queryOptions({ queryKey: tenantKey(tenantId), queryFn: () => operate<Tenant>('GET', `/tenants/${tenantId}`) });
}

export const resourcesQuery = (tenantId: number) => listOf<Resource>(tenantId, 'resources');
export const credentialsQuery = (tenantId: number) => listOf<Credential>(tenantId, 'credentials');

function listOf<Item>(tenantId: number, what: 'resources' | 'credentials') {
  return operatorPages<Item>(['tenant', tenantId, what], `/tenants/${tenantId}/${what}`, { limit: 100 });
}
