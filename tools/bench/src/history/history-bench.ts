import { conditionsOf, measureLoad, warmUp, type Measured } from '../bench.ts';
import { startInstallation } from '../installation.ts';
import { median } from '../measure/latency.ts';
import type { BenchOptions } from '../options.ts';
import { usualLoads, type Load } from '../plan.ts';
import { startReceiver } from '../receiver/start-receiver.ts';
import { keptItsPromises, measures, type LoadResult } from '../result.ts';
import { paddedTable, shown } from '../table.ts';
import { createDatabase, startServers } from '../servers.ts';
import { onStage, type BenchDeps, type Stage } from '../stage.ts';
import { fillHistory } from './fill-history.ts';

/** The results of a load in both databases, one for each turn. */
interface Compared {
  readonly load: Load;
  readonly empty: LoadResult[];
  readonly history: LoadResult[];
}

export interface HistoryResult {
  readonly conditions: readonly string[];
  readonly attempts: number;
  readonly loads: readonly Compared[];
  /** Nothing was lost, sent without being owed, or out of order. */
  readonly isWhole: boolean;
}

/** The usual loads that show what an event costs by itself, among others, and in batches. */
const historyLoads = usualLoads.filter(({ fanout, rate }) => fanout === 1 && rate !== 50);

/** Three, since their median leaves out one that something else disturbed. */
const TURNS = 3;

/** Runs loads on a long history and on none, in turn. */
export function runHistoryBench(
  options: BenchOptions,
  deps: BenchDeps,
  loads: readonly Load[] = historyLoads,
): Promise<HistoryResult> {
  return onStage(
    deps,
    (stage) => measure(options, deps, stage, loads),
    ({ isWhole }) => isWhole,
  );
}

async function measure(
  options: BenchOptions,
  deps: BenchDeps,
  stage: Stage,
  loads: readonly Load[],
): Promise<HistoryResult> {
  const { report, env } = deps;
  report('Starting PostgreSQL, Redis and receiver …');
  const servers = await stage.guarded(startServers(deps, stage));
  const receiver = await startReceiver(stage);
  const [port = 0] = await stage.guarded(receiver.call('listen', 1));
  const start = async (name: string, databaseUrl: string): Promise<Measured> => {
    const base = { options, servers, receiver, webhookUrls: [`http://127.0.0.1:${port}/0`] };
    const installation = await startInstallation({ ...base, name, databaseUrl }, deps, stage);
    return { installation, receiver };
  };
  const emptyUrl = servers.databaseUrl;
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
  const compared = loads.map((load): Compared => ({ load, empty: [], history: [] }));
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const [nth, one] of compared.entries()) {
      const sides = [[history, one.history] as const, [empty, one.empty] as const];
      // Each goes first in every second turn.
      for (const [side, results] of turn % 2 === 0 ? sides : sides.toReversed())
        results.push(await measureLoad(one.load, 1 + turn * loads.length + nth, side, deps));
    }
  }
  return {
    conditions: conditionsOf(servers, options, env),
    attempts,
    loads: compared,
    isWhole: compared.every((one) => [...one.empty, ...one.history].every(keptItsPromises)),
  };
}

/** The result as text: for each load a table of medians. */
export function renderHistory({ conditions, attempts, loads }: HistoryResult): string {
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
  return `${conditions.join('\n')}\n\n${tables.join('\n\n')}\n`;
}
