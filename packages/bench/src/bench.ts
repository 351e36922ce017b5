import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { drive, type Driven } from './driver/drive.ts';
import type { Phase } from './driver/workload.ts';
import { describeMachine } from './measure/machine.ts';
import { memoryOverTime, sampleMemory } from './measure/memory-samples.ts';
import { observePostgres, type PostgresObserver } from './measure/postgres-observer.ts';
import { measureRollUp, rollUpInWords } from './measure/roll-up-cost.ts';
import { readUsage, serviceParts, sumOf, type Usage, type UsageDeps } from './measure/usage.ts';
import type { Plan } from './plan.ts';
import { serviceProcesses, settingsOf } from './process/service-processes.ts';
import { connectReceiver, type CountingReceiver } from './receiver/counting-receiver.ts';
import { judgeRun, keptItsPromises, type BenchResult } from './report/result.ts';
import type { RunDescription } from './report/table.ts';
import { servicesOfRun } from './services/services-of-run.ts';
import { registerWebhooks, setUpTenant } from './setup.ts';
import { onStage, type BenchDeps, type Stage } from './stage.ts';

/** Longer than a lease: a callout whose result was not stored comes again when its lease has run out. */
const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 25;

/** One run, from nothing to its result. */
export function runBench(plan: Plan, deps: BenchDeps): Promise<Measured> {
  return onStage(
    deps,
    (stage) => measure(plan, deps, stage),
    ({ result }) => keptItsPromises(result),
  );
}

interface Measured {
  readonly run: RunDescription;
  readonly result: BenchResult;
}

async function measure(plan: Plan, deps: BenchDeps, stage: Stage): Promise<Measured> {
  const { options, behaviours } = plan;
  const { fork, guarded, onStop } = stage;
  const { programs, env, tell } = deps;

  tell('Starting PostgreSQL, Redis, API, workers and receiver …');
  const services = await servicesOfRun(deps, stage);
  const machine = await describeMachine(services.dataDir);
  const receiverProgram = await fork({ program: programs.receiver, env: {} });
  const receiver = await guarded(connectReceiver(receiverProgram));
  const callers = await guarded(setUpTenant(services.postgres.url));
  const settings = settingsOf(options, env);
  const processes = serviceProcesses(options, { fork, programs, services, settings });
  const api = await guarded(processes.startApi());
  let workers = await guarded(processes.startWorkers());
  await guarded(registerWebhooks(api.url, callers.integrator, plan, (webhook) => receiver.urlOf(webhook)));
  const postgres = await observePostgres(services.postgres.url);
  onStop(() => postgres.close());

  const send = (phase: Phase, eventsPerS: number): Promise<Driven> =>
    drive({
      url: `${api.url}/EntityEvents`,
      headers: callers.source,
      workload: plan.workloads[phase],
      eventsPerRequest: options.batch,
      connections: options.connections,
      eventsPerS,
    });
  const untilDelivered = async (phase: Phase): Promise<void> => {
    await receiver.waitFor(plan.workloads[phase].events * options.fanout, {
      patienceMs: PATIENCE_MS,
      isNothingOwed: async () => (await postgres.owed()) === 0,
    });
    await untilNothingIsOwed(postgres);
  };

  tell(`Warming up with ${plan.workloads.warm.events} events …`);
  await receiver.begin('warm', plan.workloads.warm.events, behaviours);
  await guarded(send('warm', 0));
  await guarded(untilDelivered('warm'));
  await mustBeWhole(receiver, plan);
  if (options.acceptFirst) {
    await Promise.all(workers.map((worker) => worker.stop()));
    workers = [];
  }

  tell(`Measuring ${options.events} events …`);
  await receiver.begin('run', options.events, behaviours);
  const pids = (): UsageDeps['pids'] => ({
    api: [api.pid],
    worker: workers.length === 0 ? 'not started' : workers.map(({ pid }) => pid),
    postgres: services.postgres.pid === undefined ? [] : [services.postgres.pid],
    redis: services.redis.pid === undefined ? [] : [services.redis.pid],
    receiver: [receiverProgram.pid],
  });
  const usage = () => readUsage({ pids: pids(), postgres, redisUrl: services.redis.url });
  const before = await usage();
  const memory = sampleMemory(api.pid);
  onStop(async () => void (await memory.stop()));
  const driven = await guarded(send('run', options.rate));
  const apiMemory = memoryOverTime(await memory.stop());
  let accepted: Usage | undefined;
  if (options.acceptFirst) {
    accepted = await usage();
    tell('Delivering …');
    workers = await guarded(processes.startWorkers());
  }
  await guarded(untilDelivered('run'));
  const after = await usage();
  const arrivals = await receiver.arrivals();
  const result = judgeRun({ options, behaviours, driven, apiMemory, arrivals, before, accepted, after });
  if (options.profile !== undefined) {
    await writeStatements(options.profile, postgres);
    const cost = await guarded(measureRollUp(services.postgres.url));
    const said = rollUpInWords(cost, sumOf(result.cpuSPer1000, serviceParts));
    await writeFile(path.join(options.profile, 'statistics.txt'), `${said}\n`);
  }

  return {
    run: {
      options,
      machine,
      postgres: services.postgres.description,
      redis: services.redis.description,
      settings: Object.entries(settings).map(([name, value]) => `${name}=${value}`),
    },
    result,
  };
}

/** Results are stored a little after the receiver has answered; what that costs belongs to the run. */
async function untilNothingIsOwed(postgres: PostgresObserver): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while ((await postgres.owed()) > 0 && Date.now() < deadline) await sleep(LOOK_EVERY_MS);
}

async function mustBeWhole(receiver: CountingReceiver, { workloads, options }: Plan): Promise<void> {
  const { delivered } = await receiver.arrivals();
  const owed = workloads.warm.events * options.fanout;
  if (delivered !== owed) throw new Error(`only ${delivered} of ${owed} callouts of the warm-up came`);
}

async function writeStatements(dir: string, postgres: PostgresObserver): Promise<void> {
  const lines = (await postgres.costliestStatements()) ?? ['The server does not have pg_stat_statements.'];
  await mkdir(dir, { recursive: true });
  await writeFile(path.join(dir, 'postgres-statements.txt'), `${lines.join('\n')}\n`);
}
