import { Problem } from '@callout/domain/problem';
import { DatabaseError, type Pool, type QueryResultRow } from 'pg';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import type { SqlValues } from '../sql-values.ts';
import { createYield, type YieldToOthers } from '@callout/runtime/concurrency/yield-to-others';

/** The dependencies of searches. */
export interface SearchDeps {
  /** Not the pool of the ingest: a scan uses its connection for as long as `timeoutMs`. */
  readonly pool: Pool;
  /** How long a query may take before it is refused. */
  readonly timeoutMs: number;
  /** Begins a search of a tenant when the tenant may have one more connection; absent: at once. */
  readonly inSlot?: <T>(tenantId: number, search: () => Promise<T>) => Promise<T>;
  /** How to narrow the query: the end of the sentence of a refusal; absent: as for records. */
  readonly advice?: string;
}

/** Runs one statement of a search. */
export type RunSearch = <Row extends QueryResultRow>(text: string, values: SqlValues) => Promise<Row[]>;

/**
 * How PostgreSQL is to run the statements of a search, whatever the connection is set to. Each statement is planned
 * with its values, and rows come in the order of a key, by the key, and never by sorting a whole tenant, as the planner
 * would do before ANALYZE has seen the size of the tenant. Without a key to go by, as in the index of terms, the two
 * ways that are off cost alike, and the planner chooses as ever.
 */
const settings = `SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL enable_bitmapscan = off;
  SET LOCAL enable_seqscan = off`;

/**
 * PostgreSQL's codes for a statement cancelled by its timeout, and for a transaction in which the process took too long
 * between two statements.
 */
const tooLate: ReadonlySet<string | undefined> = new Set(['57014', '25P03']);

/**
 * Runs the statements of a search on one snapshot, for consistent results. Work on the results calls `yieldToOthers`
 * periodically.
 * @throws an `invalid` Problem 'narrow the filter' when the statements take longer than `timeoutMs`, and the errors of
 * `inSlot`.
 */
export function inSearch<T>(deps: SearchDeps, tenantId: number, work: Work<T>): Promise<T> {
  const search = () => inSnapshot(deps, work);
  return deps.inSlot === undefined ? search() : deps.inSlot(tenantId, search);
}

/**
 * A late search refuses itself, between two statements. PostgreSQL only ends a search whose process is frozen, and not
 * a process that is still sending a statement: the connection would be closed in the middle, and often the caller would
 * get an EPIPE in place of the reason.
 */
const pausedForMs = 5_000;

type Work<T> = (run: RunSearch, yieldToOthers: YieldToOthers) => Promise<T>;

async function inSnapshot<T>({ pool, timeoutMs, advice }: SearchDeps, work: Work<T>): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs;
  const refuseLate = () => {
    if (performance.now() > deadlineMs) throw tooSlow(timeoutMs, advice);
  };
  const yieldToOthers = createYield();
  try {
    return await inTransaction(pool, async (transaction) => {
      await transaction.query(
        `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;
         SET LOCAL statement_timeout = ${Math.ceil(timeoutMs)};
         SET LOCAL idle_in_transaction_session_timeout = ${Math.ceil(timeoutMs) + pausedForMs}; ${settings}`,
      );
      const run: RunSearch = async <Row extends QueryResultRow>(text: string, values: SqlValues) => {
        refuseLate();
        return (await transaction.query<Row>(text, values.all)).rows;
      };
      return work(run, () => {
        refuseLate();
        return yieldToOthers();
      });
    });
  } catch (error) {
    throw error instanceof DatabaseError && tooLate.has(error.code) ? tooSlow(timeoutMs, advice, error) : error;
  }
}

function tooSlow(
  timeoutMs: number,
  advice = 'with eq or in on a field that few records share, or with a range of ids',
  cause?: unknown,
): Problem {
  const message = `The query took longer than ${timeoutMs / 1000} s: narrow the filter, ${advice}`;
  return new Problem('invalid', [{ code: 'tooSlow', field: 'Filter', message }], { cause });
}
