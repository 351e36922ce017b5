import { statfs } from 'node:fs/promises';
import { conditionsOf, measureLoad, warmUp, type Measured } from '../bench.ts';
import { startInstallation } from '../installation.ts';
import { median } from '../measure/latency.ts';
import type { BenchOptions } from '../options.ts';
import { usualLoads, type Company, type Load } from '../plan.ts';
import { keptItsPromises, measures, type LoadResult } from '../result.ts';
import { paddedTable, shown } from '../table.ts';
import { createDatabase, onSharedServers, type SharedServers } from '../servers.ts';
import type { BenchDeps, Stage } from '../stage.ts';
import { fillHistory } from './fill-history.ts';
import { beginStatementCosts, countPlanning, grownStatements, statementCosts, type Grown } from './statement-costs.ts';

/** The results of a load in both databases, one for each cycle. */
interface Compared {
  readonly load: Load;
  readonly empty: LoadResult[];
  readonly history: LoadResult[];
}

export interface HistoryResult {
  readonly conditions: readonly string[];
  readonly attempts: number;
  readonly loads: readonly Compared[];
  /** Statements that cost notably more with the history. */
  readonly grown: readonly Grown[];
  /** Nothing was lost, sent without being owed, or out of order. */
  readonly isWhole: boolean;
}

/** The usual loads that show what an event costs by itself, among others, and in batches. */
const historyLoads = usualLoads.filter(({ fanout, rate }) => fanout === 1 && rate !== 50);

/** Runs loads on a long history and on none, in turn. */
export function runHistoryBench(
  options: BenchOptions,
  company: Company,
  deps: BenchDeps,
  loads: readonly Load[] = historyLoads,
): Promise<HistoryResult> {
  return onSharedServers(
    deps,
    (shared, stage) => measure(options, company, shared, deps, stage, loads),
    ({ isWhole }) => isWhole,
  );
}

async function measure(
  options: BenchOptions,
  company: Company,
  { servers, receiver }: SharedServers,
  deps: BenchDeps,
  stage: Stage,
  loads: readonly Load[],
): Promise<HistoryResult> {
  const { report, env, dataDir } = deps;
  if (!env['DATABASE_URL']) await refuseSmallDisk(dataDir, options.history);
  const [port = 0] = await stage.guarded(receiver.call('listen', 1));
  const start = async (name: string, databaseUrl: string): Promise<Measured> => {
    await countPlanning(databaseUrl);
    const base = { options, company, servers, receiver, webhookUrls: [`http://127.0.0.1:${port}/0`] };
    const installation = await startInstallation({ ...base, name, databaseUrl }, deps, stage);
    return { installation, receiver, company, options };
  };
  const emptyUrl = servers.postgres.url;
  const historyUrl = await createDatabase(emptyUrl, stage.onStop);
  const [empty, history] = [await start('empty', emptyUrl), await start('history', historyUrl)];
  report(`Making a history of about ${shown(options.history)} attempts …`);
  const { tenantId } = history.installation;
  const attempts = await stage.guarded(fillHistory(historyUrl, { tenantId, attempts: options.history }, report));

  const largest = loads.toSorted((one, other) => other.events - one.events)[0];
  for (const side of [empty, history]) {
    await side.installation.startWorkers();
    if (largest !== undefined) await warmUp(largest, side, deps);
  }
  await beginStatementCosts(emptyUrl);
  const compared = loads.map((load): Compared => ({ load, empty: [], history: [] }));
  for (let turn = 1; turn <= options.cycles * loads.length; turn += 1) {
    const one = compared[(turn - 1) % loads.length];
    if (one === undefined) continue;
    const sides = [
      { side: empty, results: one.empty },
      { side: history, results: one.history },
    ];
    // Each goes first in every second cycle.
    for (const { side, results } of Math.ceil(turn / loads.length) % 2 === 0 ? sides : sides.toReversed()) {
      results.push(await measureLoad(one.load, turn, side, deps));
    }
  }
  return {
    conditions: conditionsOf(servers, options, env),
    attempts,
    loads: compared,
    grown: grownStatements(await statementCosts(emptyUrl), await statementCosts(historyUrl)),
    isWhole: compared.every((one) => [...one.empty, ...one.history].every(keptItsPromises)),
  };
}

/** What an attempt takes with its callout, body, event and verdict, and some more to be safe. */
const BYTES_PER_ATTEMPT = 1600;

/** @throws Error that says how much is missing. */
async function refuseSmallDisk(dataDir: string, attempts: number): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  const [free, needed] = [bavail * bsize, attempts * BYTES_PER_ATTEMPT];
  if (free > needed) return;
  const mib = (bytes: number) => `${shown(bytes / 2 ** 20)} MiB`;
  throw new Error(`${dataDir} has ${mib(free)} left, and ${attempts} attempts may need ${mib(needed)}: ask for fewer`);
}

const STATEMENT_CHARACTERS = 110;

/** The result as text: for each load a table of medians. */
export function renderHistory({ conditions, attempts, loads, grown }: HistoryResult): string {
  const tables = loads.map(({ load, empty, history }) =>
    paddedTable([
      [load.name, 'no history', `${shown(attempts)} attempts`, 'ratio'],
      ...measures.map(([name, of, digits]) => {
        const middle = (results: readonly LoadResult[]) => median(results.map(of));
        const [before, after] = [middle(empty), middle(history)];
        return [name, shown(before, digits), shown(after, digits), shown(after / before, 2)];
      }),
    ]),
  );
  const statements = grown.map(({ text, calls, empty, history }) => [
    text.slice(0, STATEMENT_CHARACTERS).replaceAll('|', '¦'),
    shown(calls),
    `${shown(empty.blocks)} → ${shown(history.blocks)}`,
    `${shown(empty.planMs, 2)} → ${shown(history.planMs, 2)}`,
    `${shown(empty.execMs, 2)} → ${shown(history.execMs, 2)}`,
  ]);
  const head = ['Statement that costs more', 'calls', 'blocks', 'planning, ms', 'execution, ms'];
  const costly = statements.length === 0 ? 'No statement cost notably more.' : paddedTable([head, ...statements]);
  return `${conditions.join('\n')}\n\n${[...tables, costly].join('\n\n')}\n`;
}
