import { queryOptions } from '@tanstack/react-query';
import {
  operate,
  operatorList,
  operatorPages,
  type Credential,
  type Lockout,
  type Resource,
  type Tenant,
} from '../../../api/operator.ts';

/** With what the keys of its queries begin: they are read again when anything of the tenant was changed. */
export const tenantKey = (tenantId: number) => ['operator', 'tenant', tenantId];

export function tenantQuery(tenantId: number) {
  return queryOptions({ queryKey: tenantKey(tenantId), queryFn: () => operate<Tenant>('GET', `/tenants/${tenantId}`) });
}

export const resourcesQuery = (tenantId: number) => listOf<Resource>(tenantId, 'resources');
export const credentialsQuery = (tenantId: number) => listOf<Credential>(tenantId, 'credentials');

export function lockoutsOfTenantQuery(tenantId: number) {
  return queryOptions({
    queryKey: [...tenantKey(tenantId), 'lockouts'],
    queryFn: async () => (await operatorList<Lockout>('/lockouts', { tenantID: tenantId, limit: 500 })).items,
    refetchInterval: 15_000,
  });
}

function listOf<Item>(tenantId: number, what: 'resources' | 'credentials') {
  return operatorPages<Item>(['tenant', tenantId, what], `/tenants/${tenantId}/${what}`, { limit: 100 });
}
