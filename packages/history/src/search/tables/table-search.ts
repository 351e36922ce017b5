import type { FieldValues } from '@callout/domain/values/values';
import type { Condition, Query } from '@callout/domain/query/condition';
import type { Position } from '@callout/domain/query/cursor';
import { evaluate } from '@callout/domain/query/evaluate';
import { compileCondition } from '../compile-condition.ts';
import { pageOf, wantedRows, type SearchPage } from '../page.ts';
import { mostPageBytes } from '../records/read-records.ts';
import { beyond } from '../records/record-columns.ts';
import { inSearch, type RunSearch, type SearchDeps } from '../search-transaction.ts';
import { judgeableColumns, wireColumns, type SearchableTable, type TenantScope } from './searchable-table.ts';
import { SqlValues } from '../../sql-values.ts';
import type { YieldToOthers } from '@callout/runtime/concurrency/yield-to-others';

/** A row: the id, and the values of the fields in wire form by their names in the API. */
export interface FoundRow {
  readonly id: number;
  readonly fields: FieldValues;
}

export interface TableSearch {
  /**
   * A page of rows; `position` null: the first one.
   * @throws an `invalid` Problem when it takes too long.
   */
  page<Scope extends TenantScope>(
    table: SearchableTable<Scope>,
    scope: Scope,
    query: Query,
    position: Position | null,
  ): Promise<SearchPage<FoundRow>>;
  /** The number of rows that pass the filter. @throws an `invalid` Problem when it takes too long. */
  count<Scope extends TenantScope>(
    table: SearchableTable<Scope>,
    scope: Scope,
    query: Pick<Query, 'filter'>,
  ): Promise<number>;
}

/** Rows read at a time: a webhook with a condition and certificates has 100 KB. */
const windowRows = 100;

/** The characters of all its values. */
function lengthOf({ fields }: FoundRow): number {
  return Object.values(fields).reduce((sum, value) => sum + (value?.length ?? 0), 0);
}

/**
 * Searches tables with some thousand rows per tenant. PostgreSQL narrows by all columns but text; the whole filter is
 * judged here, over the rows in order of id. So no table needs a folded copy, and a filter has one meaning: the
 * evaluator's.
 */
export function createTableSearch(deps: SearchDeps): TableSearch {
  return {
    page: (table, scope, { filter, maxRecords }, position) =>
      inSearch(deps, scope.tenantId, async (run, yieldToOthers) => {
        const page: FoundRow[] = [];
        let length = 0;
        let hasMore = false;
        const wanted = wantedRows(maxRecords);
        for await (const row of passingRows({ run, yieldToOthers, table, scope, filter }, position, wanted)) {
          hasMore = page.length === maxRecords || length >= mostPageBytes;
          if (hasMore) break;
          page.push(row);
          length += lengthOf(row);
        }
        return pageOf(page, hasMore, position);
      }),

    count: (table, scope, { filter }) =>
      inSearch(deps, scope.tenantId, async (run, yieldToOthers) => {
        let count = 0;
        for await (const _row of passingRows({ run, yieldToOthers, table, scope, filter }, null, windowRows))
          count += 1;
        return count;
      }),
  };
}

interface Judging<Scope> {
  readonly run: RunSearch;
  readonly yieldToOthers: YieldToOthers;
  readonly table: SearchableTable<Scope>;
  readonly scope: Scope;
  readonly filter: Condition;
}

/**
 * The rows that pass, from the position on in its direction. `wanted` is the number that the caller expects to use.
 */
async function* passingRows<Scope>(
  { run, yieldToOthers, table, scope, filter }: Judging<Scope>,
  start: Position | null,
  wanted: number,
): AsyncGenerator<FoundRow> {
  let position = start;
  for (;;) {
    const values = new SqlValues();
    const narrowed = compileCondition(filter, judgeableColumns(table), values);
    const conditions = [table.rowsOf(scope, values), narrowed.sql];
    if (position) conditions.push(beyond(position, table.columns.id.sql, values));
    const order = position?.direction === 'before' ? 'DESC' : 'ASC';
    const window = narrowed.isExact ? Math.min(wanted, windowRows) : windowRows;
    const rows = await run<Row>(
      `SELECT ${wireColumns(table)} FROM ${table.from} WHERE ${conditions.join(' AND ')}
       ORDER BY ${table.columns.id.sql} ${order} LIMIT ${values.add(window)}`,
      values,
    );
    for (const { furtherFields, ...columns } of rows) {
      await yieldToOthers();
      const fields = Object.assign(Object.create(null) as FieldValues, furtherFields, columns);
      if (evaluate(filter, ({ name }) => fields[name])) yield { id: Number(columns.id), fields };
    }
    const last = rows.at(-1);
    if (!last || rows.length < window) return;
    position = { direction: start?.direction ?? 'after', id: Number(last.id) };
  }
}

type Row = { readonly id: string; readonly furtherFields: FieldValues | null } & FieldValues;
