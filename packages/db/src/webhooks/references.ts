import type { Prisma } from '../generated/client.ts';

/** A resource that something refers to, locked so that it is neither changed nor deleted before the transaction ends. */
export interface LockedResource {
  id: number;
  isActive: boolean;
}

/**
 * Locks resources of a tenant, in order of their ids and before any webhook: whoever deactivates or deletes a resource
 * locks it first and then the webhooks that it owns or that exclude it. Ids that name nothing are left out.
 */
export async function lockResources(
  transaction: Prisma.TransactionClient,
  tenantId: number,
  ids: readonly number[],
): Promise<Map<number, LockedResource>> {
  if (ids.length === 0) return new Map();
  const rows = await transaction.$queryRaw<LockedResource[]>`
    SELECT id, is_active AS "isActive" FROM resources
    WHERE tenant_id = ${tenantId} AND id = ANY(${[...ids]}::bigint[]) AND deleted_at IS NULL
    ORDER BY id FOR SHARE`;
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Locks definitions of user-defined fields against deletion, in order of their ids and before any webhook, as their
 * deletion does. @returns the ids that exist.
 */
export async function lockUdfDefinitions(
  transaction: Prisma.TransactionClient,
  tenantId: number,
  ids: readonly number[],
): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await transaction.$queryRaw<{ id: number }[]>`
    SELECT id FROM udf_definitions WHERE tenant_id = ${tenantId} AND id = ANY(${[...ids]}::bigint[])
    ORDER BY id FOR KEY SHARE`;
  return new Set(rows.map((row) => row.id));
}
