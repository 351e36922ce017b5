import type { FieldValues } from '@callout/domain/values/values';
import type { StoredRecord } from '../../records.ts';
import type { RecordCollection } from '@callout/domain/query/searched-record';
import type { RunSearch } from '../search-transaction.ts';
import { SqlValues } from '../../sql-values.ts';

/**
 * The most bytes of one page, as JSON text. Records of usual size never reach the limit; a large record has a quarter
 * of a megabyte, and 500 large records, for several concurrent requests, would be too much for the process.
 */
export const mostPageBytes = 8 * 2 ** 20;

interface ReadRow {
  readonly id: number;
  readonly fields: string;
  readonly udfFields: string;
}

/** Records by id, in the given order, each by the table's key; without the records after `mostBytes` were reached. */
export async function readRecords(
  run: RunSearch,
  { tenantId, entityType }: RecordCollection,
  ids: readonly number[],
  mostBytes: number,
): Promise<StoredRecord[]> {
  if (ids.length === 0) return [];
  const values = new SqlValues();
  const rows = await run<ReadRow>(
    `SELECT id, fields, "udfFields" FROM (
       SELECT r.*, k.nth, sum(r.bytes) OVER (ORDER BY k.nth) - r.bytes AS before
       FROM unnest(${values.add(ids)}::bigint[]) WITH ORDINALITY AS k (id, nth) CROSS JOIN LATERAL (
         SELECT t.id, t.fields, t."udfFields", octet_length(t.fields) + octet_length(t."udfFields") AS bytes
         FROM (
           SELECT r.id, r.fields::text AS fields, r.udf_fields::text AS "udfFields" FROM records r
           WHERE r.tenant_id = ${values.add(tenantId)} AND r.entity_type = ${values.add(entityType)} AND r.id = k.id
           OFFSET 0
         ) t
       ) r
     ) read WHERE before < ${values.add(mostBytes)} ORDER BY nth`,
    values,
  );
  return rows.map(({ id, fields, udfFields }) => ({
    id,
    fields: JSON.parse(fields) as FieldValues,
    udfFields: JSON.parse(udfFields) as FieldValues,
  }));
}
