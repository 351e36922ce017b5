import { inSearch, type SearchDeps } from '../search/search-transaction.ts';
import { SqlValues } from '../sql-values.ts';

/** How much of its hourly threshold an entity of a tenant uses. */
export interface ThresholdUse {
  readonly entityType: string;
  /** The tenant's own threshold; null: the default applies. */
  readonly ownLimit: number | null;
  /** First attempts in the last 3,600 s. */
  readonly used: number;
  readonly held: number;
  readonly oldestHeldId: string | null;
  /** Since when callouts are held without a break; null: none is held. */
  readonly episodeStartedAt: Date | null;
}

/** Reads the thresholds of a tenant, one row per entity, in the given order. Counted by the second, as they are kept. */
export function readThresholds(
  search: SearchDeps,
  tenantId: number,
  entityTypes: readonly string[],
): Promise<ThresholdUse[]> {
  return inSearch(search, tenantId, async (run) => {
    const values = new SqlValues();
    const tenant = values.add(tenantId);
    return run<ThresholdUse>(
      `SELECT n.entity_type AS "entityType",
         (SELECT callout_threshold FROM tenants WHERE id = ${tenant}) AS "ownLimit",
         (SELECT coalesce(sum(used), 0)::int FROM (${counted('n.entity_type', tenant)}) AS counted WHERE second > date_trunc('second', now()) - interval '3600 seconds') AS used,
         (SELECT count(*) FROM open_callouts
          WHERE tenant_id = ${tenant} AND entity_type = n.entity_type AND state = 'held') AS held,
         (SELECT callout_id FROM open_callouts
          WHERE tenant_id = ${tenant} AND entity_type = n.entity_type AND state = 'held'
          ORDER BY callout_id LIMIT 1) AS "oldestHeldId",
         (SELECT episode_started_at FROM threshold_windows
          WHERE tenant_id = ${tenant} AND entity_type = n.entity_type) AS "episodeStartedAt"
       FROM unnest(${values.add(entityTypes)}::text[]) WITH ORDINALITY AS n (entity_type, place) ORDER BY n.place`,
      values,
    );
  });
}

/** The first attempts that are counted for an entity, by the second. */
function counted(entityType: string, tenant: string): string {
  return `SELECT used, second FROM threshold_use WHERE tenant_id = ${tenant} AND entity_type = ${entityType}
    UNION ALL
    SELECT second_used, second FROM threshold_windows WHERE tenant_id = ${tenant} AND entity_type = ${entityType}`;
}
