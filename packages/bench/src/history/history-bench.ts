import { loadavg } from 'node:os';
import { historyOf, type History } from '../log/history.ts';
import { refuseSmallDisk } from '../log/log-bench.ts';
import { sizesOf } from '../log/sizes.ts';
import { describeMachine } from '../measure/machine.ts';
import type { BenchOptions } from '../options.ts';
import { makePlan } from '../plan.ts';
import { connectReceiver } from '../receiver/counting-receiver.ts';
import { createBenchDatabase, withClient } from '../services/bench-database.ts';
import { servicesOfRun } from '../services/services-of-run.ts';
import { onStage, type BenchDeps, type Stage } from '../stage.ts';
import { askAll, type Asked } from './ask-usual.ts';
import { timeChores, timeRetention } from './chores.ts';
import { bytesPerCallout, type HistoryResult, type LoadPair, type Pair } from './history-result.ts';
import { processesOf, startSide, type HistorySide, type Load } from './history-side.ts';
import { besides, joinTenant, makeHistory, makeTenant, type Preparing } from './prepare.ts';
import { smallTenantsOf } from './seed-history.ts';
import { keepFacts, secretKeysOf, seededDatabase, type SeededFacts } from './seeded-database.ts';
import { beginStatementCosts, countPlanning, grownStatements, statementCosts } from './statement-costs.ts';

/** How much of everything a run does. */
export interface HistorySize {
  readonly loads: readonly Load[];
  /** Events before the loads, in each database. */
  readonly warmEvents: number;
  /** How often each question is asked, and each chore done. */
  readonly times: number;
  /** Attempts of the short history that answers are compared with. */
  readonly fewAttempts: number;
}

export const historySize: HistorySize = {
  loads: [
    { name: 'single events, 200/s', events: 2400, batch: 1, connections: 64, rate: 200 },
    { name: 'single events, 64 connections', events: 6000, batch: 1, connections: 64, rate: 0 },
    { name: 'batches of 100', events: 15_000, batch: 100, connections: 8, rate: 0 },
  ],
  warmEvents: 20_000,
  times: 20,
  fewAttempts: 10_000,
};

/** Runs loads, questions and chores on a long history and on none, in turn. */
export function runHistoryBench(options: BenchOptions, deps: BenchDeps, size = historySize): Promise<HistoryResult> {
  return onStage(
    deps,
    (stage) => measure(options, deps, stage, size),
    ({ isWhole }) => isWhole,
  );
}

async function measure(given: BenchOptions, deps: BenchDeps, stage: Stage, size: HistorySize): Promise<HistoryResult> {
  const { tell, programs } = deps;
  const { guarded, onStop, fork } = stage;
  const options = { ...given, fanout: 1, events: size.warmEvents };
  const plan = await makePlan(options);
  if (typeof plan === 'string') throw new Error(plan);
  tell('Starting PostgreSQL, Redis and receiver …');
  const services = await servicesOfRun(deps, stage);
  const machine = await describeMachine(services.dataDir);
  const receiverProgram = await fork({ program: programs.receiver, env: {} });
  const receiver = await guarded(connectReceiver(receiverProgram));
  const preparing: Preparing = { plan, deps, stage, receiver };
  const served = { options, secretKeys: secretKeysOf(given.history), receiver, receiverPid: receiverProgram.pid };

  const seeded = await guarded(seededDatabase(services.postgres.url, given.history));
  onStop(async () => {
    if (!given.keep) await seeded.database.drop();
  });
  const ofHistory = { ...served, name: 'history', services: besides(services, seeded.database.url, 'history') };
  if (seeded.facts === undefined) await refuseSmallDisk(services.dataDir, given.history);
  const facts = seeded.facts ?? (await makeHistory(preparing, { ...ofHistory, name: 'seed' }, given.history));
  const history = madeHistory(facts);
  if (given.keep) await keepFacts(services.postgres.url, facts);
  const sizes = await guarded(withClient(seeded.database.url, sizesOf));
  const few = await createBenchDatabase(services.postgres.url, `${services.redisPrefix}_few`);
  onStop(() => few.drop());
  const ofFew = { ...served, name: 'few', services: besides(services, few.url, 'few') };
  const fewFacts = await makeHistory(preparing, { ...ofFew, name: 'seed-few' }, size.fewAttempts);
  const ofEmpty = { ...served, name: 'empty', services };
  const emptyFacts = await makeTenant(preparing, { ...ofEmpty, name: 'seed-empty' });

  tell('Starting the processes of both …');
  for (const url of [services.postgres.url, seeded.database.url]) await countPlanning(url);
  const callersOf = (url: string, its: SeededFacts) => guarded(joinTenant(url, its, receiver));
  const historyCallers = await callersOf(seeded.database.url, facts);
  const emptyCallers = await callersOf(services.postgres.url, emptyFacts);
  const fewCallers = await callersOf(few.url, fewFacts);
  const emptySide = await startSide({ ...ofEmpty, callers: emptyCallers }, deps, stage);
  const historySide = await startSide({ ...ofHistory, callers: historyCallers }, deps, stage);
  const fewApi = await guarded(processesOf(ofFew, deps, stage).startApi());

  tell('Asking the log …');
  const ask = (asked: Pick<Asked, 'facts' | 'url' | 'apiUrl' | 'headers' | 'isUnknown'>, apiPid: number) => {
    const pids = services.postgres.pid === undefined ? [apiPid] : [apiPid, services.postgres.pid];
    return guarded(askAll({ ...asked, history: madeHistory(asked.facts), pids, times: size.times }));
  };
  const asked = { facts: fewFacts, url: few.url, apiUrl: fewApi.url, headers: fewCallers.integrator, isUnknown: false };
  const answersOfFew = await ask(asked, fewApi.pid);
  await fewApi.stop();
  const answers = await ask(
    {
      facts,
      url: seeded.database.url,
      apiUrl: historySide.apiUrl,
      headers: historyCallers.integrator,
      isUnknown: seeded.facts !== undefined,
    },
    historySide.apiPid,
  );
  tell('Chores …');
  const chores = await guarded(timeChores(seeded.database.url, size.times));
  const emptyChores = await guarded(timeChores(services.postgres.url, size.times));

  tell('Warming up …');
  for (const side of [emptySide, historySide]) await side.warmUp(size.warmEvents);
  await beginStatementCosts(services.postgres.url);
  const sizesBefore = await guarded(withClient(services.postgres.url, sizesOf));
  const loads = await alternate(size.loads, given.cycles, [emptySide, historySide], tell);
  const sizesAfter = await guarded(withClient(services.postgres.url, sizesOf));
  const [emptyCosts, historyCosts] = [
    await statementCosts(services.postgres.url),
    await statementCosts(seeded.database.url),
  ];
  const retention = given.keep
    ? undefined
    : await guarded(timeRetention(seeded.database.url, new Date(history.baseMs)));
  return {
    attempts: facts.attempts,
    callouts: history.callouts,
    events: history.events,
    tenants: 1 + history.small.tenants,
    seedS: facts.seedS,
    machine,
    load: loadavg()[0] ?? Number.NaN,
    postgres: services.postgres.description,
    sizes,
    bytesPerCallout: bytesPerCallout(sizesBefore, sizesAfter, loads),
    loads,
    grown: grownStatements(emptyCosts, historyCosts),
    chores: pairs(emptyChores, chores),
    retention,
    answers: pairs(answersOfFew, answers),
    isWhole: loads.every(({ empty, history: long }) => [...empty, ...long].every(isWhole)),
  };
}

/** Each load on one database and then on the other, the other one first in every second cycle. */
async function alternate(
  loads: readonly Load[],
  cycles: number,
  [empty, history]: readonly [HistorySide, HistorySide],
  tell: (line: string) => void,
): Promise<LoadPair[]> {
  const pairs = loads.map((load) => ({
    load,
    empty: [] as LoadPair['empty'][number][],
    history: [] as LoadPair['history'][number][],
  }));
  let turn = 0;
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    for (const pair of pairs) {
      tell(`${pair.load.name}, ${cycle + 1} of ${cycles} …`);
      const both = [
        { side: empty, results: pair.empty },
        { side: history, results: pair.history },
      ];
      for (const { side, results } of cycle % 2 === 0 ? both : both.toReversed()) {
        turn += 1;
        results.push(await side.take(pair.load, turn));
      }
    }
  }
  return pairs;
}

function pairs<T extends { readonly name: string }>(few: readonly T[], long: readonly T[]): Pair<T>[] {
  return long.flatMap((one, n) => {
    const other = few[n];
    return other === undefined ? [] : [{ name: one.name, empty: other, history: one }];
  });
}

function madeHistory({ asked, endMs }: SeededFacts): History {
  return historyOf(asked, endMs, smallTenantsOf(asked));
}

function isWhole({ lost, unowed, outOfOrder }: LoadPair['empty'][number]): boolean {
  return lost === 0 && unowed === 0 && outOfOrder === 0;
}
