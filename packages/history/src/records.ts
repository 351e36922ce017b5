import type { FieldValues } from '@callout/domain/values/values';
import type { Database } from '@callout/database/connection/database';

/** The present values of a record, in wire form; UDF values by the definition's id. */
export interface StoredRecord {
  id: number;
  fields: FieldValues;
  udfFields: FieldValues;
}

/** A record that is not deleted. */
export async function findRecord(
  { prisma }: Pick<Database, 'prisma'>,
  tenantId: number,
  entityType: string,
  id: number,
): Promise<StoredRecord | undefined> {
  const row = await prisma.record.findUnique({
    where: { tenantId_entityType_id: { tenantId, entityType, id }, deletedAt: null },
    select: { fields: true, udfFields: true },
  });
  if (row === null) return undefined;
  // Written by ingest alone, from values in wire form.
  return { id, fields: row.fields as FieldValues, udfFields: row.udfFields as FieldValues };
}
