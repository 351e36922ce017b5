import type { Condition } from '@callout/domain/query/condition';
import type { Position } from '@callout/domain/query/cursor';
import { compileCondition } from '../compile-condition.ts';
import type { RecordCollection } from '@callout/domain/query/searched-record';
import { indexTerms } from './index-terms.ts';
import { candidates, recordColumns } from './record-columns.ts';
import type { RunSearch } from '../search-transaction.ts';
import { SqlValues } from '../../sql-values.ts';

/** How many rows are looked at one after another. */
export interface ScanLimits {
  /** In the first statement, unless the page is longer. */
  readonly firstWindow: number;
  /** In one statement. */
  readonly maxWindow: number;
  /** For one page, when the index is an alternative. */
  readonly maxRowsBeforeIndex: number;
}

// Measured with 1,000,000 companies: a row costs 1 µs in order of id, and up to 10 µs by the index, which finds rows
// all over the table and all of them, before the first can be shown. So 50,000 rows in order are what 5,000 by index
// are.
export const scanLimits: ScanLimits = { firstWindow: 1000, maxWindow: 20_000, maxRowsBeforeIndex: 50_000 };

/** Which records to find. */
export interface RecordRange {
  readonly collection: RecordCollection;
  readonly filter: Condition;
  readonly position: Position | null;
  /** How many, at most. */
  readonly wanted: number;
}

/**
 * The ids of the next records that pass a filter, in order from the position on. Values that many records share are
 * found fastest by a scan in order of id until the page is full; rare values, by the index. Statistics of PostgreSQL
 * cannot decide between both (ANALYZE skips values as wide as a record), so the records decide: the scan goes on as
 * long as the matches so far will fill the page soon. Filters that the index does not support are scanned to the end.
 */
export async function findRecords(run: RunSearch, range: RecordRange, limits: ScanLimits): Promise<number[]> {
  const { collection, filter, wanted } = range;
  const alternatives = indexTerms(filter, collection);
  const ids: number[] = [];
  let scanned = 0;
  let position = range.position;
  let window = filter.kind === 'all' && filter.of.length === 0 ? wanted : Math.max(limits.firstWindow, 2 * wanted);
  for (;;) {
    const seen = await scan(run, { ...range, position, wanted: wanted - ids.length }, window);
    ids.push(...seen.ids);
    scanned += seen.scanned;
    if (ids.length >= wanted || seen.lastId === null || seen.scanned < window) return ids;
    position = { direction: range.position?.direction ?? 'after', id: seen.lastId };
    const rowsToGo = ((wanted - ids.length) * scanned) / ids.length;
    if (alternatives && scanned + rowsToGo > limits.maxRowsBeforeIndex) {
      const furtherIds = await lookUp(run, { ...range, position, wanted: wanted - ids.length }, alternatives);
      return [...ids, ...furtherIds];
    }
    window = Math.ceil(Math.min(Math.max(rowsToGo, limits.firstWindow), limits.maxWindow));
  }
}

interface Scanned {
  readonly scanned: number;
  readonly lastId: number | null;
  readonly ids: number[];
}

/** Looks at the next `window` records, and nothing beyond. */
export async function scan(run: RunSearch, range: RecordRange, window: number): Promise<Scanned> {
  const { collection, filter, position, wanted } = range;
  const values = new SqlValues();
  const [order, last] = position?.direction === 'before' ? ['DESC', 'min'] : ['ASC', 'max'];
  const within = candidates(collection, filter, position, values);
  const passes = compileCondition(filter, recordColumns('r'), values).sql;
  const [row] = await run<{ scanned: number; lastId: number | null; ids: string[] | null }>(
    `SELECT count(*)::int AS scanned, ${last}(r.id) AS "lastId",
       (array_agg(r.id ORDER BY r.id ${order}) FILTER (WHERE ${passes}))[:${values.add(wanted)}] AS ids
     FROM (SELECT r.id, r.fields, r.udf_fields, r.folded FROM records r WHERE ${within} ORDER BY r.id ${order} LIMIT ${values.add(window)}) r`,
    values,
  );
  return { scanned: row?.scanned ?? 0, lastId: row?.lastId ?? null, ids: row?.ids?.map(Number) ?? [] };
}

/** Asks the index for each alternative. */
async function lookUp(run: RunSearch, range: RecordRange, alternatives: readonly string[]): Promise<number[]> {
  const values = new SqlValues();
  const order = range.position?.direction === 'before' ? 'DESC' : 'ASC';
  const rows = await run<{ id: number }>(
    `SELECT DISTINCT r.id FROM ${byIndex(range, alternatives, values)}
     ORDER BY r.id ${order} LIMIT ${values.add(range.wanted)}`,
    values,
  );
  return rows.map((row) => row.id);
}

/**
 * `FROM` and `WHERE` of the records that have all terms of an alternative and pass the filter; a record with several
 * alternatives comes several times. Terms stand for tenant and entity, so nothing else has to narrow: inside of OFFSET
 * 0, a border for the planner, the index is the only way, whatever PostgreSQL estimates about tenants.
 */
export function byIndex(
  { collection, filter, position }: Omit<RecordRange, 'wanted'>,
  alternatives: readonly string[],
  values: SqlValues,
): string {
  const within = candidates(collection, filter, position, values);
  const passes = compileCondition(filter, recordColumns('r'), values).sql;
  return `unnest(${values.add(alternatives)}::text[]) AS a (terms) CROSS JOIN LATERAL (
       SELECT r.id, r.tenant_id, r.entity_type, r.deleted_at, r.fields, r.udf_fields, r.folded FROM records r
       WHERE r.terms @> a.terms::bigint[] OFFSET 0
     ) r WHERE ${within} AND ${passes}`;
}
