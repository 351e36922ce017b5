import { withClient } from '@callout/local/postgres';
import { statementsHere } from '../measure/postgres.ts';

/** What a statement cost each time, as pg_stat_statements counts it. */
export interface StatementCost {
  readonly text: string;
  readonly calls: number;
  readonly planMs: number;
  readonly execMs: number;
  /** Blocks read, from buffers or disk. */
  readonly blocks: number;
}

/** A statement that both databases ran. */
export interface Grown {
  readonly text: string;
  readonly calls: number;
  readonly empty: StatementCost;
  readonly history: StatementCost;
}

/** Begins to count, planning included. */
export async function beginStatementCosts(url: string): Promise<void> {
  await withClient(url, (client) => client.query('SELECT pg_stat_statements_reset()')).catch(() => undefined);
}

/** So that planning is counted as well; only a superuser may. For connections that are made from now on. */
export async function countPlanning(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await withClient(url, (client) =>
    client.query(`ALTER DATABASE ${name} SET pg_stat_statements.track_planning = on`),
  ).catch(() => undefined);
}

/** Of all statements of a database since counting began; empty without pg_stat_statements. */
export async function statementCosts(url: string): Promise<StatementCost[]> {
  const sql = `SELECT regexp_replace(query, '\\s+', ' ', 'g') AS text, sum(calls)::float8 AS calls,
      sum(total_plan_time) / sum(calls) AS "planMs", sum(total_exec_time) / sum(calls) AS "execMs",
      sum(shared_blks_hit + shared_blks_read)::float8 / sum(calls) AS blocks
    ${statementsHere} AND calls > 0 GROUP BY 1`;
  try {
    return (await withClient(url, (client) => client.query<StatementCost>(sql))).rows;
  } catch {
    return [];
  }
}

/** Fewer calls say little. */
const LEAST_CALLS = 5;
const GREW_BY = 1.5;
/** What a few more levels of an index cost is no growth. */
const BLOCKS = 8;
const MS = 0.25;

/**
 * The statements that cost notably more with a history, the dearest altogether first: in blocks, or in time (which depends on
 * who else is at work).
 */
export function grownStatements(empty: readonly StatementCost[], history: readonly StatementCost[]): Grown[] {
  const before = new Map(empty.map((cost) => [cost.text, cost]));
  return history
    .flatMap((cost): Grown[] => {
      const one = before.get(cost.text);
      if (one === undefined || Math.min(one.calls, cost.calls) < LEAST_CALLS) return [];
      const time = (of: StatementCost) => of.planMs + of.execMs;
      const areBlocks = cost.blocks > one.blocks * GREW_BY + BLOCKS;
      const isTime = time(cost) > time(one) * GREW_BY + MS;
      return areBlocks || isTime ? [{ text: cost.text, calls: cost.calls, empty: one, history: cost }] : [];
    })
    .toSorted((a, b) => b.calls * b.history.execMs - a.calls * a.history.execMs);
}
