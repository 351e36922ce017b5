import type { Transaction } from '@callout/database/connection/database';
import { statement } from '@callout/database/connection/statement/statement';

/**
 * A resource that is referred to, locked so that it is neither changed nor deleted before the transaction ends.
 */
export interface LockedResource {
  id: number;
  isActive: boolean;
}

const shareResources = statement<LockedResource>(
  'references_lock_resources',
  `SELECT id, is_active AS "isActive" FROM resources
   WHERE tenant_id = $1 AND id = ANY($2::bigint[]) AND deleted_at IS NULL ORDER BY id FOR SHARE`,
  'resources',
);

/**
 * Locks resources of a tenant, in order of their ids and before any webhook: deactivating or deleting a resource locks
 * it first and then the webhooks that it owns or that exclude it. Unknown ids are left out.
 */
export async function lockResources(
  transaction: Transaction,
  tenantId: number,
  ids: readonly number[],
): Promise<Map<number, LockedResource>> {
  if (ids.length === 0) return new Map();
  const rows = await shareResources(transaction, [tenantId, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

const shareDefinitions = statement<{ id: number }>(
  'references_lock_udf_definitions',
  `SELECT id FROM udf_definitions WHERE tenant_id = $1 AND id = ANY($2::bigint[]) ORDER BY id FOR KEY SHARE`,
  'udf_definitions',
);

/**
 * Locks definitions of user-defined fields against deletion, in order of their ids and before any webhook, as their
 * deletion does. @returns the ids that exist.
 */
export async function lockUdfDefinitions(
  transaction: Transaction,
  tenantId: number,
  ids: readonly number[],
): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await shareDefinitions(transaction, [tenantId, ids]);
  return new Set(rows.map((row) => row.id));
}
