import type { DataType } from '@callout/core';
import type { Database } from './database.ts';

/** A user-defined field of an entity. */
export interface UdfDefinition {
  id: number;
  entityType: string;
  name: string;
  label: string;
  dataType: DataType;
  /** What a list may take; empty for every other type. */
  picklistValues: readonly { value: string; label: string }[];
}

export interface UdfDefinitionStore {
  /** All definitions of the tenants asked for, each tenant's in order of id. */
  findByTenants(tenantIds: readonly number[]): Promise<Map<number, UdfDefinition[]>>;
}

export function createUdfDefinitionStore({ prisma }: Pick<Database, 'prisma'>): UdfDefinitionStore {
  return {
    async findByTenants(tenantIds) {
      const rows = await prisma.udfDefinition.findMany({
        where: { tenantId: { in: [...tenantIds] } },
        orderBy: [{ tenantId: 'asc' }, { id: 'asc' }],
      });
      const byTenant = new Map<number, UdfDefinition[]>(tenantIds.map((tenantId) => [tenantId, []]));
      for (const { tenantId, id, entityType, name, label, dataType, listValues } of rows) {
        byTenant.get(tenantId)?.push({
          id,
          entityType,
          name,
          label,
          dataType: dataType as DataType,
          picklistValues: (listValues ?? []) as { value: string; label: string }[],
        });
      }
      return byTenant;
    },
  };
}
