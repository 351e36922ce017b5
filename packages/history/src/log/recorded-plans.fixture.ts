import type { Pool, PoolClient } from 'pg';

/** A node of a plan that was executed. */
export interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** The plans of a pool's queries. */
export interface PlanRecorder {
  /** The pool, except that every query with values is explained before it runs. */
  readonly explaining: (pool: Pool) => Pool;
  /** The nodes of all plans by which something was read. */
  readonly planOf: (read: () => Promise<unknown>) => Promise<Plan[]>;
}

export function recordPlans(): PlanRecorder {
  let plans: Plan[] = [];
  return {
    explaining: (pool) => explaining(pool, (found) => plans.push(...found)),
    async planOf(read) {
      plans = [];
      await read();
      return plans.flatMap(nodesOf);
    },
  };
}

function explaining(pool: Pool, record: (plans: readonly Plan[]) => void): Pool {
  const connect = async () => {
    const client = await pool.connect();
    const query = async (text: string, values?: unknown[]) => {
      if (values !== undefined) {
        const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
          `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
          values,
        );
        record(rows.flatMap((row) => row['QUERY PLAN'].map(({ Plan: plan }) => plan)));
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

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

export const isScan = (node: Plan) => / Scan$/.test(node['Node Type']) && node['Index Name'] !== undefined;
/** Rows and index entries that were looked at. */
export const rowsMet = (nodes: readonly Plan[]) =>
  nodes
    .filter(isScan)
    .reduce(
      (sum, node) => sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      0,
    );
export const typesOf = (nodes: readonly Plan[]) => new Set(nodes.map((node) => node['Node Type']));
export const indexesOf = (nodes: readonly Plan[]) => nodes.map((node) => node['Index Name'] ?? '').join(' ');
