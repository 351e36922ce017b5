import { previousValues, type StoredPrevious } from '@callout/domain/previous-values';
import type { StoredEvent } from '@callout/pipeline/match/load';
import { inSearch, type SearchDeps } from '../search/search-transaction.ts';
import { SqlValues } from '../sql-values.ts';

/** An event with everything that match judges. */
export type ReplayedEvent = StoredEvent;

type Row = Omit<StoredEvent, 'previous'> & { readonly previous: StoredPrevious | null };

/** Each event has all values of the record, up to 256 KiB, and the values before: memory holds no more at once. */
const EVENTS_PER_READ = 10;

/**
 * Passes the newest events of an entity on, newest first, with their values, in small parts: each is done with before
 * the next is read.
 * @throws an `invalid` Problem when it takes too long.
 */
export function forNewestEvents(
  search: SearchDeps,
  { tenantId, entityType }: { readonly tenantId: number; readonly entityType: string },
  most: number,
  take: (event: ReplayedEvent) => void,
): Promise<void> {
  return inSearch(search, tenantId, async (run, yieldToOthers) => {
    let before: string | null = null;
    for (let wanted = most; wanted > 0; wanted -= EVENTS_PER_READ) {
      const values = new SqlValues();
      const older = before === null ? '' : `AND id < ${values.add(before)}`;
      const rows: Row[] = await run<Row>(
        `SELECT id, event_key AS "eventKey", tenant_id AS "tenantId", entity_type AS "entityType",
           record_id AS "recordId", record_version AS "recordVersion", action, person_id AS "personId",
           event_time AS "eventTime", accepted_at AS "acceptedAt", trace_parent AS "traceParent",
           changed_fields AS "changedFields", changed_udfs AS "changedUdfs", previous, fields, udf_fields AS "udfFields"
         FROM events WHERE tenant_id = ${values.add(tenantId)} AND entity_type = ${values.add(entityType)} ${older}
         ORDER BY id DESC LIMIT ${values.add(Math.min(wanted, EVENTS_PER_READ))}`,
        values,
      );
      for (const { previous, ...event } of rows) {
        take({ ...event, previous: previousValues(event, previous) });
        await yieldToOthers();
      }
      if (rows.length < EVENTS_PER_READ) return;
      before = rows.at(-1)?.id ?? null;
    }
  });
}
