import { previousValues, type StoredPrevious } from '@callout/domain/previous-values';
import type { StoredEvent } from '@callout/pipeline/match/load';
import { inSearch, type SearchDeps } from '../search/search-transaction.ts';
import { SqlValues } from '../sql-values.ts';

/** An event with all that match judges it by. */
export type ReplayedEvent = StoredEvent;

type Row = Omit<StoredEvent, 'previous'> & { readonly previous: StoredPrevious | null };

/**
 * The newest events of an entity with their values, newest first.
 * @throws an `invalid` Problem when it takes too long.
 */
export function readNewestEvents(
  search: SearchDeps,
  tenantId: number,
  entityType: string,
  most: number,
): Promise<ReplayedEvent[]> {
  return inSearch(search, tenantId, async (run) => {
    const values = new SqlValues();
    const rows = await run<Row>(
      `SELECT id, event_key AS "eventKey", tenant_id AS "tenantId", entity_type AS "entityType",
         record_id AS "recordId", record_version AS "recordVersion", action, person_id AS "personId",
         event_time AS "eventTime", accepted_at AS "acceptedAt", trace_parent AS "traceParent",
         changed_fields AS "changedFields", changed_udfs AS "changedUdfs", previous, fields, udf_fields AS "udfFields"
       FROM events WHERE tenant_id = ${values.add(tenantId)} AND entity_type = ${values.add(entityType)}
       ORDER BY id DESC LIMIT ${values.add(most)}`,
      values,
    );
    return rows.map(({ previous, ...event }) => ({ ...event, previous: previousValues(event, previous) }));
  });
}
