import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { drive } from '../driver/drive.ts';
import type { Workload } from '../driver/workload.ts';
import { describeMachine } from '../measure/machine.ts';
import { observePostgres, type PostgresObserver } from '../measure/postgres-observer.ts';
import { readUsage } from '../measure/usage.ts';
import type { BenchOptions } from '../options.ts';
import { makePlan } from '../plan.ts';
import { serviceProcesses, settingsOf } from '../process/service-processes.ts';
import { connectReceiver, type CountingReceiver } from '../receiver/counting-receiver.ts';
import { coresInUse, keptItsPromises } from '../report/result.ts';
import { servicesOfRun } from '../services/services-of-run.ts';
import { registerWebhooks, setUpTenant } from '../setup.ts';
import { onStage, type BenchDeps, type Stage } from '../stage.ts';
import type { IsolationRun } from './isolation-report.ts';
import { judgeIsolation, type SeenRound } from './isolation-result.ts';
import { roundsOf, type Round } from './rounds.ts';

/** How large a run is. */
export interface IsolationSize {
  /** Each with a receiver of its own, and each event is owed to all of them. */
  readonly webhooks: number;
  readonly eventsPerS: number;
  readonly eventsPerRound: number;
}

const EVENTS_PER_S = 6;
const ROUND_S = 10;

/** The run as `--isolation` makes it. */
export function isolationSize({ rate }: BenchOptions): IsolationSize {
  const eventsPerS = rate === 0 ? EVENTS_PER_S : rate;
  return { webhooks: 100, eventsPerS, eventsPerRound: eventsPerS * ROUND_S };
}

/**
 * Nothing is given up and nothing deactivated, so that everything must arrive in the end; and a receiver that hangs is
 * seen to do so several times in a round.
 */
const SETTINGS = {
  CALLOUT_TIMEOUT_MS: '3000',
  RETRY_SCHEDULE: Array.from({ length: 50 }, () => '1s').join(),
  DEACTIVATE_AFTER_FAILURES: '1000000',
};
/** The longest pause of a webhook, and a lease, and then some. */
const PATIENCE_MS = 120_000;
const LOOK_EVERY_MS = 25;
/** The last events of a round reach their receivers before those change. */
const ROUND_ENDS_AFTER_MS = 1000;

/** Measures what bad receivers do to the webhooks of the others. */
export function runIsolationBench(options: BenchOptions, deps: BenchDeps, size: IsolationSize): Promise<IsolationRun> {
  return onStage(
    deps,
    (stage) => measure(options, deps, size, stage),
    ({ result }) => keptItsPromises(result),
  );
}

async function measure(
  given: BenchOptions,
  deps: BenchDeps,
  { webhooks, eventsPerS, eventsPerRound }: IsolationSize,
  stage: Stage,
): Promise<IsolationRun> {
  const { programs, env, tell } = deps;
  const { fork, guarded, onStop } = stage;
  const rounds = roundsOf({ webhooks, eventsPerRound, cycles: given.cycles });
  const events = rounds.length * eventsPerRound;
  const options = { ...given, fanout: webhooks, events };
  const plan = await makePlan(options);
  if (typeof plan === 'string') throw new Error(plan);

  tell('Starting PostgreSQL, Redis, API, workers and receivers …');
  const services = await servicesOfRun(deps, stage);
  const machine = await describeMachine(services.dataDir);
  const receiverProgram = await fork({ program: programs.receiver, env: {} });
  const receiver = await guarded(connectReceiver(receiverProgram));
  const callers = await guarded(setUpTenant(services.postgres.url));
  const settings = { ...SETTINGS, ...settingsOf(options, env) };
  const processes = serviceProcesses(options, { fork, programs, services, settings });
  const api = await guarded(processes.startApi());
  const workers = await guarded(processes.startWorkers());
  // A port for each webhook: what answers at one host and port is one receiver, and shares one bound.
  const urls = await guarded(receiver.openPorts(webhooks));
  await guarded(registerWebhooks(api.url, callers.integrator, plan, (webhook) => urls[webhook] ?? ''));
  const postgres = await observePostgres(services.postgres.url);
  onStop(() => postgres.close());

  const pids = {
    api: [api.pid],
    worker: workers.map(({ pid }) => pid),
    postgres: services.postgres.pid === undefined ? [] : [services.postgres.pid],
    redis: services.redis.pid === undefined ? [] : [services.redis.pid],
    receiver: [receiverProgram.pid],
  };
  const usage = () => readUsage({ pids, postgres, redisUrl: services.redis.url });
  const send = (workload: Workload) =>
    drive({
      url: `${api.url}/EntityEvents`,
      headers: callers.source,
      workload,
      eventsPerRequest: 1,
      connections: options.connections,
      eventsPerS,
    });
  const { warm, run } = plan.workloads;
  tell(`Warming up with ${warm.events} events …`);
  await receiver.begin('warm', warm.events, plan.behaviours);
  await guarded(send(warm));
  await guarded(untilDelivered(receiver, postgres, warm.events * webhooks));

  await receiver.begin('run', events, plan.behaviours);
  const seen: SeenRound[] = [];
  for (const [index, round] of rounds.entries()) {
    const what = round.trouble === 'none' ? 'all receivers are well' : `bad receivers: ${round.trouble}`;
    tell(`Round ${index + 1} of ${rounds.length}, ${what} …`);
    await receiver.behave(round.behaviours);
    const before = await usage();
    const { sentAtMs } = await guarded(send(partOf(run, round)));
    await guarded(sleep(ROUND_ENDS_AFTER_MS));
    const { others: othersCores } = coresInUse(before, await usage());
    seen.push({ round, sentAtMs, calls: await receiver.behave(plan.behaviours), othersCores });
    await guarded(untilDelivered(receiver, postgres, (round.firstEvent + round.events) * webhooks));
  }
  return {
    webhooks,
    eventsPerS,
    eventsPerRound,
    workers: options.workers,
    machine,
    load: loadavg()[0] ?? Number.NaN,
    postgres: services.postgres.description,
    redis: services.redis.description,
    settings: { ...settings, RETRY_SCHEDULE: shortened(settings.RETRY_SCHEDULE) },
    result: judgeIsolation(seen, await receiver.arrivals()),
  };
}

/** The events of one round, numbered from 0. */
function partOf(run: Workload, { firstEvent, events }: Round): Workload {
  return { phase: run.phase, events, body: (from, to) => run.body(firstEvent + from, firstEvent + to) };
}

/** Until everything has come and is settled, so that nothing of a round is left to the next; or no more comes. */
async function untilDelivered(receiver: CountingReceiver, postgres: PostgresObserver, owed: number): Promise<void> {
  await receiver.waitFor(owed, {
    patienceMs: PATIENCE_MS,
    isNothingOwed: async () => (await postgres.owed()) === 0,
  });
  const deadline = Date.now() + PATIENCE_MS;
  while ((await postgres.owed()) > 0 && Date.now() < deadline) await sleep(LOOK_EVERY_MS);
}

function shortened(schedule: string): string {
  const waits = schedule.split(',');
  return waits.every((wait) => wait === waits[0]) && waits.length > 1 ? `${waits.length}x${waits[0]}` : schedule;
}
