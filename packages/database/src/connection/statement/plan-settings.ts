import type { ClientBase } from 'pg';

/**
 * The statements of a set identify each row by an index, and are written so that only one plan is sensible. So
 * statements are planned once per connection: planning again for each list of ids costs several times the execution.
 * The present size of a table does not count: the tables of work are empty in one second and long in the next.
 */
export const planSettings = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
};

/**
 * For every connection. Up to PostgreSQL 17, a plan with a way that is off costs 1e10, above every `jit_*_above_cost`.
 * A server with default settings then compiles the plan with full optimisation at each execution, which takes hundreds
 * of times as long as the statement, and may add parallel workers. No statement of Callout gains by either.
 */
export const planLimits = { jit: 'off', max_parallel_workers_per_gather: '0' };

const setAll = Object.entries(planSettings)
  .map(([name, value]) => `SET ${name} = ${value}`)
  .join('; ');

/**
 * Long values are compressed by lz4, which takes a fraction of the time of PostgreSQL's own method, where the server
 * has been built with it. A setting of the connection and not of the columns, for servers without lz4.
 */
const isLz4There = `FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)`;

/**
 * A statement continues with the present row after a wait for a lock: with any other isolation level the statement
 * would fail.
 */
const setIsolation = `SET default_transaction_isolation = 'read committed'`;

/** Makes the settings for models on a new connection: the isolation level of transactions. */
export async function applyModelSettings(client: ClientBase): Promise<void> {
  await client.query(setIsolation);
}

/**
 * Makes the settings for statements on sets on a new connection, in one round trip. Not by the start-up parameter
 * `options`, which PgBouncer refuses. RESET would undo them.
 */
export async function applyPlanSettings(client: ClientBase): Promise<void> {
  await client.query(`${setAll}; ${setIsolation}; SELECT set_config(name, 'lz4', false) ${isLz4There}`);
}

/** The same settings for a connection whose transactions make them one by one. */
export async function planSettingsOf(client: ClientBase): Promise<Readonly<Record<string, string>>> {
  const { rows } = await client.query(`SELECT ${isLz4There}`);
  return rows.length === 0 ? planSettings : { ...planSettings, default_toast_compression: 'lz4' };
}
