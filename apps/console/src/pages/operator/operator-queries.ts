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
  queryFn: () => operate<Status>('readStatus'),
  refetchInterval: 5_000,
});

/** All zones: an installation has a handful. */
export const zonesQuery = queryOptions({
  queryKey: ['operator', 'zones'],
  queryFn: async () => (await operatorList<Zone>('listZones', { limit: 500 })).items,
});

export const keysQuery = queryOptions({
  queryKey: ['operator', 'keys'],
  queryFn: async () => (await operatorList<Key>('listKeys')).items,
  refetchInterval: 15_000,
});

/** The beginning of the keys of all queries of a tenant: after any change of the tenant the queries are read again. */
export const tenantKey = (tenantId: number) => ['operator', 'tenant', tenantId];

export function tenantQuery(tenantId: number) {
  return queryOptions({ queryKey: tenantKey(tenantId), queryFn: () => operate<Tenant>('readTenant', { tenantId }) });
}

export const resourcesQuery = (tenantId: number) =>
  operatorPages<Resource>(['tenant', tenantId, 'resources'], 'listResources', { tenantId, limit: 100 });
export const credentialsQuery = (tenantId: number) =>
  operatorPages<Credential>(['tenant', tenantId, 'credentials'], 'listCredentials', { tenantId, limit: 100 });
