import type { Condition, Query } from '@callout/domain/query/condition';
import type { Position } from '@callout/domain/query/cursor';
import type { StoredRecord } from '../../records.ts';
import { compileCondition } from '../compile-condition.ts';
import { byIndex, findRecords, scan, scanLimits, type ScanLimits } from './find-records.ts';
import type { RecordCollection } from '@callout/domain/query/searched-record';
import { indexTerms } from './index-terms.ts';
import { pageOf, wantedRows, type SearchPage } from '../page.ts';
import { mostPageBytes, readRecords } from './read-records.ts';
import { candidates, recordColumns } from './record-columns.ts';
import { inSearch, type RunSearch, type SearchDeps } from '../search-transaction.ts';
import { SqlValues } from '../../sql-values.ts';

export interface RecordSearch {
  /**
   * A page of records; `position` null: the first one.
   * @throws an `invalid` Problem when it takes too long.
   */
  page(collection: RecordCollection, query: Query, position: Position | null): Promise<SearchPage<StoredRecord>>;
  /** The number of records that pass the filter. @throws an `invalid` Problem when it takes too long. */
  count(collection: RecordCollection, query: Pick<Query, 'filter'>): Promise<number>;
}

/** Searches records. `limits` and `mostBytes` are for tests. */
export function createRecordSearch(
  deps: SearchDeps,
  limits: ScanLimits = scanLimits,
  mostBytes = mostPageBytes,
): RecordSearch {
  return {
    page: (collection, { filter, maxRecords }, position) =>
      inSearch(deps, collection.tenantId, async (run) => {
        const range = { collection, filter, position, wanted: wantedRows(maxRecords) };
        const ids = await findRecords(run, range, limits);
        const records = await readRecords(run, collection, ids.slice(0, maxRecords), mostBytes);
        return pageOf(records, ids.length > records.length, position);
      }),

    count: (collection, { filter }) =>
      inSearch(deps, collection.tenantId, (run) => countRecords(run, collection, filter, limits)),
  };
}

/** As in findRecords: the first records show whether most pass, which a scan counts faster than the index. */
async function countRecords(
  run: RunSearch,
  collection: RecordCollection,
  filter: Condition,
  { firstWindow }: ScanLimits,
): Promise<number> {
  const range = { collection, filter, position: null };
  const first = await scan(run, { ...range, wanted: firstWindow }, firstWindow);
  if (first.scanned < firstWindow) return first.ids.length;
  const alternatives = first.ids.length < firstWindow / 10 ? indexTerms(filter, collection) : null;
  const values = new SqlValues();
  const text = alternatives ? countByIndex(range, alternatives, values) : countByScan(collection, filter, values);
  const [row] = await run<{ count: number }>(text, values);
  return row?.count ?? 0;
}

function countByIndex(
  range: Parameters<typeof byIndex>[0],
  alternatives: readonly string[],
  values: SqlValues,
): string {
  const counted = alternatives.length > 1 ? 'DISTINCT r.id' : '*';
  return `SELECT count(${counted})::int AS count FROM ${byIndex(range, alternatives, values)}`;
}

function countByScan(collection: RecordCollection, filter: Condition, values: SqlValues): string {
  const within = candidates(collection, filter, null, values);
  const passes = compileCondition(filter, recordColumns('r'), values).sql;
  return `SELECT count(*)::int AS count FROM records r WHERE ${within} AND ${passes}`;
}
