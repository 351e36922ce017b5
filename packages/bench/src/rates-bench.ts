import { conditionsOf } from './bench.ts';
import { newCompanies } from './driver/workload.ts';
import { startInstallation } from './installation.ts';
import type { BenchOptions } from './options.ts';
import type { Company } from './plan.ts';
import { paddedTable, shown } from './table.ts';
import { createDatabase, onSharedServers, type SharedServers } from './servers.ts';
import type { BenchDeps, Stage } from './stage.ts';
import { judgeRate, type KeptRate } from './kept-rate.ts';

/** How so many workers kept the rate of a webhook. */
interface WorkersRate extends KeptRate {
  readonly workers: number;
  /** From the first call of a webhook without limits, beside it, to its last. */
  readonly neighbourMs: number;
  /** All callouts of both came, in order. */
  readonly isWhole: boolean;
}

export interface RatesResult {
  readonly conditions: readonly string[];
  readonly perSecond: number;
  readonly runs: readonly WorkersRate[];
  /** Everything came, and the rate was never exceeded by more than a burst of a second. */
  readonly isKept: boolean;
}

const WORKERS = [1, 3, 8];
const MEASURED_S = 30;
/**
 * More than are measured: some wait until the end, and the time begins when the neighbour has all of its callouts. Until
 * then the machine is so busy with those that the receiver itself notices calls late, and many at once.
 */
const SENT_S = 48;
const USUAL_PER_SECOND = 50;

/** Lets a webhook with `maxCallsPerSecond` and one without limits get the same callouts, from 1, 3 and 8 workers. */
export function runRatesBench(options: BenchOptions, company: Company, deps: BenchDeps): Promise<RatesResult> {
  return onSharedServers(
    deps,
    async ({ servers, receiver }, stage) => {
      const perSecond = options.load.rate === 0 ? USUAL_PER_SECOND : options.load.rate;
      const runs: WorkersRate[] = [];
      for (const workers of WORKERS) {
        const parts = { options: { ...options, workers }, company, servers, receiver };
        runs.push(await measure(perSecond, parts, deps, stage));
      }
      const [, ...conditions] = conditionsOf(servers, options, deps.env).toReversed();
      const isKept = runs.every((run) => run.isWhole && run.mostBeyond <= perSecond);
      return { conditions: conditions.toReversed(), perSecond, runs, isKept };
    },
    ({ isKept }) => isKept,
  );
}

interface Parts extends SharedServers {
  readonly options: BenchOptions;
  readonly company: Company;
}

async function measure(perSecond: number, parts: Parts, deps: BenchDeps, stage: Stage): Promise<WorkersRate> {
  const { options, company, servers, receiver } = parts;
  const { workers, load } = options;
  const databaseUrl = await createDatabase(servers.postgres.url, stage.onStop);
  const [port = 0] = await stage.guarded(receiver.call('listen', 1));
  const webhookUrls = [0, 1].map((webhook) => `http://127.0.0.1:${port}/${webhook}`);
  const name = `workers-${workers}`;
  const installation = await startInstallation(
    { ...parts, name, databaseUrl, webhookUrls, maxCallsPerSecond: perSecond },
    deps,
    stage,
  );
  await installation.startWorkers();
  const workload = newCompanies(company, Math.ceil(SENT_S * perSecond));
  await installation.expect(workload);
  deps.report(`${workers} workers; ${perSecond} calls per second for ${MEASURED_S} s …`);
  await installation.send(workload, { ...load, rate: 0 });
  await installation.untilDelivered(2 * workload.events);
  const { delivered, unowed, outOfOrder, firstArrivedAtMs } = await receiver.call('arrivals');
  await installation.stopWorkers();
  const times = (webhook: number) =>
    [...firstArrivedAtMs.slice(webhook * workload.events, (webhook + 1) * workload.events)].toSorted((a, b) => a - b);
  const neighbour = times(1);
  const [firstMs = 0, lastMs = 0] = [neighbour[0], neighbour.at(-1)];
  const measured = times(0).filter((ms) => ms > lastMs);
  return {
    workers,
    ...judgeRate(measured, perSecond, MEASURED_S),
    neighbourMs: lastMs - firstMs,
    isWhole: delivered === 2 * workload.events && unowed === 0 && outOfOrder === 0,
  };
}

/** The result as text. */
export function renderRates({ conditions, perSecond, runs }: RatesResult): string {
  const rows = [
    [`maxCallsPerSecond ${shown(perSecond)}`, ...runs.map(({ workers }) => `${workers} workers`)],
    ['calls in 30 s', ...runs.map(({ calls }) => shown(calls))],
    ['of the rate', ...runs.map(({ share }) => `${shown(100 * share, 1)} %`)],
    ['most in one second', ...runs.map(({ mostInSecond }) => shown(mostInSecond))],
    ['most beyond the rate, in any time', ...runs.map(({ mostBeyond }) => shown(mostBeyond, 1))],
    ['neighbour without limits, seconds', ...runs.map(({ neighbourMs }) => shown(neighbourMs / 1_000, 1))],
  ];
  return `${conditions.join('\n')}\n\n${paddedTable(rows)}\n`;
}
