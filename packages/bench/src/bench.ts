import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { drive, type Driven } from './driver/drive.ts';
import type { Phase } from './driver/workload.ts';
import { describeMachine } from './measure/machine.ts';
import { observePostgres, type PostgresObserver } from './measure/postgres-observer.ts';
import { readUsage, type UsageDeps } from './measure/usage.ts';
import type { Plan } from './plan.ts';
import { forkProgram, type ForkedProgram } from './process/fork-program.ts';
import type { Programs } from './process/programs.ts';
import { settingsOf, startServiceProcesses } from './process/service-processes.ts';
import { connectReceiver, type CountingReceiver } from './receiver/counting-receiver.ts';
import { judgeRun, keptItsPromises, type BenchResult } from './report/result.ts';
import type { RunDescription } from './report/table.ts';
import { startServices } from './services/services.ts';
import { registerWebhooks, setUpTenant } from './setup.ts';

export interface BenchDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly programs: Programs;
  /** Where servers of our own keep their data. */
  readonly dataDir: string;
  /** Told what goes on, one line each. */
  readonly tell: (line: string) => void;
  /** Rejects with an Interrupted when the user wants to stop. */
  readonly interrupted: Promise<never>;
}

/** The user stopped the run; the message says how. */
export class Interrupted extends Error {}

const CONNECTIONS = 8;
/** Longer than a lease: a callout whose result was not stored comes again when its lease has run out. */
const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 25;

/** One run, from nothing to its result. Whatever it started or made is gone afterwards, also when it fails. */
export async function runBench(plan: Plan, deps: BenchDeps): Promise<{ run: RunDescription; result: BenchResult }> {
  const stops: (() => Promise<void>)[] = [];
  const onStop = (stop: () => Promise<void>) => void stops.push(stop);
  const logDir = await mkdtemp(path.join(tmpdir(), 'callout-bench-'));
  let areLogsWanted = true;
  try {
    const measured = await measure(plan, { ...deps, onStop, logDir });
    areLogsWanted = !keptItsPromises(measured.result);
    return measured;
  } catch (error) {
    areLogsWanted = !(error instanceof Interrupted);
    throw error;
  } finally {
    for (const stop of stops.toReversed()) await stop();
    if (areLogsWanted) deps.tell(`The logs of the processes are in ${logDir}`);
    else await rm(logDir, { recursive: true });
  }
}

type MeasureDeps = BenchDeps & { readonly onStop: (stop: () => Promise<void>) => void; readonly logDir: string };

async function measure(plan: Plan, deps: MeasureDeps): Promise<{ run: RunDescription; result: BenchResult }> {
  const { options, behaviours } = plan;
  const { programs, env, tell, onStop, logDir } = deps;
  const forked: ForkedProgram[] = [];
  /** Whatever is waited for ends early when a process crashes. */
  const guarded = <T>(work: Promise<T>): Promise<T> =>
    Promise.race([work, deps.interrupted, ...forked.map(({ crashed }) => crashed)]);
  const fork = async (what: Omit<Parameters<typeof forkProgram>[0], 'logDir'>): Promise<ForkedProgram> => {
    const program = await forkProgram({ ...what, logDir });
    forked.push(program);
    onStop(() => program.stop());
    return program;
  };

  tell('Starting PostgreSQL, Redis, API, workers and receiver …');
  const services = await guarded(
    startServices({
      databaseUrl: env['DATABASE_URL'] || undefined,
      redisUrl: env['REDIS_URL'] || undefined,
      dataDir: deps.dataDir,
      onStop,
    }),
  );
  const machine = await describeMachine(services.dataDir);
  const receiverProgram = await fork({ program: programs.receiver, env: {} });
  const receiver = await guarded(connectReceiver(receiverProgram));
  const callers = await guarded(setUpTenant(services.postgres.url));
  const settings = settingsOf(options, env);
  const { apiUrl, apiPid, workerPids } = await guarded(
    startServiceProcesses(options, { fork, programs, services, settings }),
  );
  await guarded(registerWebhooks(apiUrl, callers.integrator, plan, (webhook) => receiver.urlOf(webhook)));
  const postgres = await observePostgres(services.postgres.url);
  onStop(() => postgres.close());

  const runPhase = async (phase: Phase, eventsPerS: number): Promise<Driven> => {
    const workload = plan.workloads[phase];
    const driven = await drive({
      url: `${apiUrl}/EntityEvents`,
      headers: callers.source,
      workload,
      eventsPerRequest: options.batch,
      connections: CONNECTIONS,
      eventsPerS,
    });
    await receiver.waitFor(workload.events * options.fanout, {
      patienceMs: PATIENCE_MS,
      isNothingOwed: async () => (await postgres.owed()) === 0,
    });
    await untilNothingIsOwed(postgres);
    return driven;
  };

  tell(`Warming up with ${plan.workloads.warm.events} events …`);
  await receiver.begin('warm', plan.workloads.warm.events, behaviours);
  await guarded(runPhase('warm', 0));
  await mustBeWhole(receiver, plan);

  tell(`Measuring ${options.events} events …`);
  await receiver.begin('run', options.events, behaviours);
  const pids: UsageDeps['pids'] = {
    api: [apiPid],
    worker: workerPids,
    postgres: services.postgres.pid === undefined ? [] : [services.postgres.pid],
    redis: services.redis.pid === undefined ? [] : [services.redis.pid],
    receiver: [receiverProgram.pid],
  };
  const usage = () => readUsage({ pids, postgres, redisUrl: services.redis.url });
  const before = await usage();
  const driven = await guarded(runPhase('run', options.rate));
  const after = await usage();
  const arrivals = await receiver.arrivals();
  if (options.profile !== undefined) await writeStatements(options.profile, postgres);

  return {
    run: {
      options,
      machine,
      postgres: services.postgres.description,
      redis: services.redis.description,
      settings: Object.entries(settings).map(([name, value]) => `${name}=${value}`),
    },
    result: judgeRun({ options, behaviours, driven, arrivals, before, after }),
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
