import { readFile } from 'node:fs/promises';
import { withClient } from '@callout/local/postgres';

/** What a server needs so that it can be observed. Nothing here changes how it runs a statement. */
export const observing = {
  shared_preload_libraries: 'pg_stat_statements,auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_format': 'json',
  // The settings of the planner that differ from the server's defaults.
  'auto_explain.log_settings': 'on',
  log_line_prefix: '%a: ',
};

/** One plan that was executed by a process of Callout. */
export interface ObservedPlan {
  readonly query: string;
  /** PostgreSQL has compiled it. */
  readonly isCompiled: boolean;
  /** It is so dear that a server with LLVM compiles it, where its connection lets it. */
  readonly wouldCompile: boolean;
  /** It had workers of its own. */
  readonly isParallel: boolean;
}

interface LoggedPlan {
  readonly 'Query Text': string;
  readonly Plan: { readonly 'Total Cost': number };
  readonly Settings?: { readonly jit?: string };
  readonly JIT?: object;
}

/** `jit_above_cost` of a server with its default settings. */
const compiledAboveCost = 100_000;

/** Reads the plans of processes whose application name begins with `callout`, from the log of a server that `observing` started. */
export async function observedPlans(logFile: string): Promise<ObservedPlan[]> {
  const log = await readFile(logFile, 'utf8');
  const logged = log.matchAll(/^callout[^\n]*? plan:\n((?:\t[^\n]*\n)+)/gm);
  return [...logged].map(([, text = '']) => {
    const { 'Query Text': query, Plan: plan, Settings: settings, JIT: jit } = JSON.parse(text) as LoggedPlan;
    const isDear = plan['Total Cost'] > compiledAboveCost;
    return {
      query,
      isCompiled: jit !== undefined,
      wouldCompile: isDear && settings?.jit !== 'off',
      isParallel: text.includes('"Workers Planned"'),
    };
  });
}

/** A statement as `pg_stat_statements` has counted it. */
export interface CountedStatement {
  readonly query: string;
  readonly calls: number;
  /** Functions that were compiled for it, in all executions together. */
  readonly compiled: number;
  /** Blocks that one execution touched, on average. */
  readonly blocks: number;
}

/** What the server has counted since it started, or since it was read last; without statements that make tables. */
export async function countedStatements(databaseUrl: string): Promise<CountedStatement[]> {
  const maintenance = new URL(databaseUrl);
  maintenance.pathname = '/postgres';
  return withClient(maintenance.href, async (client) => {
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
    const { rows } = await client.query<CountedStatement>(
      `SELECT query, calls::int, jit_functions::int AS compiled,
         ((shared_blks_hit + shared_blks_read) / calls)::int AS blocks
       FROM pg_stat_statements WHERE query !~ '(ALTER|CREATE|DROP) ' ORDER BY blocks DESC`,
    );
    await client.query('SELECT pg_stat_statements_reset()');
    return rows;
  });
}
