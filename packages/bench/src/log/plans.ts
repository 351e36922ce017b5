import { openDatabase, openSearchPool } from '@callout/db/connection';
import { createCalloutLog, createEventLog } from '@callout/db/log';
import type { Pool, PoolClient } from 'pg';
import type { Logs, Question } from './question.ts';

/** A node of a plan that was executed, as EXPLAIN shows it. */
interface PlanNode {
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** How the statements of a question found what they answered. */
export interface Looked {
  /** The indexes that were read, each by the name that it has in the schema. */
  readonly indexes: readonly string[];
  /** Rows and index entries that were looked at. */
  readonly rows: number;
  /** Tables that were read from their first page to the last. */
  readonly tablesRead: number;
}

const PATIENCE_MS = 60_000;

/**
 * Runs questions by the functions that the API runs, on connections that explain each statement first.
 * @param use is given the function that does so.
 */
export async function explaining<T>(url: string, use: (look: (question: Question) => Promise<Looked>) => Promise<T>) {
  // A connection that breaks, such as when the run is interrupted, tells it to its statement as well.
  const options = { url, poolSize: 1, applicationName: 'callout-bench', onError: () => undefined };
  const [database, pool] = [openDatabase(options), openSearchPool(options)];
  try {
    const [parents, empty] = [await parentIndexes(pool), await emptyPartitions(pool)];
    return await use(async ({ look }) => {
      const plans: PlanNode[] = [];
      const deps = { pool: explainingPool(pool, plans), timeoutMs: PATIENCE_MS };
      const logs: Logs = { callouts: createCalloutLog(deps, database.pool), events: createEventLog(deps) };
      await look(logs);
      return summaryOf(plans, parents, empty);
    });
  } finally {
    await pool.end();
    await database.close();
  }
}

/** The pool, except that every statement with values is explained before it runs. */
function explainingPool(pool: Pool, plans: PlanNode[]): Pool {
  const connect = async () => {
    const client = await pool.connect();
    const query = async (text: string, values?: unknown[]) => {
      if (values !== undefined) {
        const { rows } = await client.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
          `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
          values,
        );
        plans.push(...rows.flatMap((row) => row['QUERY PLAN'].map(({ Plan: plan }) => plan)));
      }
      return client.query(text, values);
    };
    return new Proxy(client, { get: (target, name) => (name === 'query' ? query : bound(target, name)) });
  };
  return new Proxy(pool, { get: (target, name) => (name === 'connect' ? connect : Reflect.get(target, name)) });
}

function bound(target: PoolClient, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === 'function' ? value.bind(target) : value;
}

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

function summaryOf(
  plans: readonly PlanNode[],
  parents: ReadonlyMap<string, string>,
  empty: ReadonlySet<string>,
): Looked {
  // What was planned and then not needed, such as the index of an older day, was not read. And of the days to come, which
  // are empty, any index will do.
  const nodes = plans
    .flatMap(nodesOf)
    .filter((node) => node['Actual Loops'] > 0 && !empty.has(node['Relation Name'] ?? ''));
  const scans = nodes.flatMap((node) =>
    node['Index Name'] === undefined ? [] : [{ node, index: node['Index Name'] }],
  );
  const rowsOf = (node: PlanNode) =>
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  return {
    indexes: [...new Set(scans.map(({ index }) => parents.get(index) ?? index))].toSorted(),
    rows: Math.round(scans.reduce((sum, { node }) => sum + rowsOf(node), 0)),
    tablesRead: nodes.filter((node) => node['Node Type'] === 'Seq Scan').length,
  };
}

/** The index of a table by that of one of its partitions. */
async function parentIndexes(pool: Pool): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ name: string; parent: string }>(
    `SELECT c.relname AS name, p.relname AS parent FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     JOIN pg_class p ON p.oid = i.inhparent WHERE p.relkind = 'I'`,
  );
  return new Map(rows.map(({ name, parent }) => [name, parent]));
}

async function emptyPartitions(pool: Pool): Promise<Set<string>> {
  const { rows } = await pool.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relispartition AND relkind = 'r' AND relpages = 0",
  );
  return new Set(rows.map(({ name }) => name));
}
