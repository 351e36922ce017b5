import { byOperator } from '@callout/domain/changes/actor';
import { Problem } from '@callout/domain/problem';
import { parseSigningKeyRotation } from '@callout/webhooks/input/signing-key-rotation';
import type { KeyRing } from '@callout/domain/secrets/keyring';
import type { Database } from '@callout/database/connection/database';
import type { SearchDeps } from '@callout/history/search/search-transaction';
import type { Administration } from '@callout/tenancy/operator/administration/administration';
import { rotateSigningKey } from '@callout/webhooks/rotate-signing-key';
import { readSigningKeys } from '@callout/webhooks/signing-keys';
import { item, ok, warningsOf } from '../http/api-response.ts';
import { periodOf } from '../rest/statistics/period.ts';
import { statisticsItem } from '../rest/statistics/statistics-item.ts';
import { keyItems, rotationWarnings } from '../rest/webhooks/signing-keys/shown-keys.ts';
import { listed, tenantIdOf, type Handlers } from './operator-call.ts';

export interface TenantDeps {
  readonly administration: Administration;
  readonly search: SearchDeps;
  readonly pool: Database['pool'];
  readonly transaction: Database['transaction'];
  readonly keyRing: KeyRing;
  /** Where a tenant reaches the API; empty: unknown. */
  readonly baseUrlOf: (tenantId: number) => Promise<string>;
}

/** Zones and tenants, with their signing keys and statistics. */
export function tenantHandlers({ administration, search, pool, transaction, keyRing, baseUrlOf }: TenantDeps) {
  const { zones, tenants, callouts } = administration;
  return {
    listZones: ({ page }) => listed(page(), (one) => zones.list(one)),
    createZone: async ({ body }) => item(await zones.create(await body())),
    readZone: async ({ id }) => item(await zones.read(id('zoneId'))),
    updateZone: async ({ id, body }) => item(await zones.update(id('zoneId'), await body())),

    listTenants: ({ page, query: { search: part } }) => listed(page(), (one) => tenants.list(one, part)),
    createTenant: async ({ body }) => item(await tenants.create(await body())),
    readTenant: async ({ id }) => item(await tenants.read(id('tenantId'))),
    updateTenant: async ({ id, body }) => item(await tenants.update(id('tenantId'), await body())),
    // The workers erase the data, which may take long.
    deleteTenant: async ({ id, query: { name = '' } }) => ({
      status: 202,
      body: { item: await tenants.remove(id('tenantId'), name) },
    }),
    async listSigningKeys({ id }) {
      const tenant = await tenants.read(id('tenantId'));
      const keys = await readSigningKeys(pool, tenant.id);
      return ok({ items: keys === undefined ? [] : keyItems(keys, await baseUrlOf(tenant.id)) });
    },
    async rotateSigningKey({ id, body }) {
      const tenant = await tenants.read(id('tenantId'));
      const rotation = parseSigningKeyRotation(await body());
      const keys = await rotateSigningKey({ transaction, keyRing }, tenant.id, rotation, byOperator);
      const items = keyItems(keys, await baseUrlOf(tenant.id));
      return ok({ items, ...warningsOf([], rotationWarnings(keys, new Date())) });
    },
    findCallout: async ({ text }) => item(await callouts.find(text('calloutId'))),
    // Of the whole installation, or of a tenant.
    async readStatistics({ query }) {
      const { groupby: groupBy } = query;
      const period = periodOf(query, new Date());
      const scope = { tenantId: tenantIdOf(query) };
      if (groupBy !== undefined && groupBy !== 'tenant' && groupBy !== 'webhook' && groupBy !== 'entity') {
        throw Problem.invalid('groupBy must be tenant, webhook or entity', 'groupBy');
      }
      return item(await statisticsItem(search, scope, period, groupBy));
    },
  } satisfies Handlers;
}
