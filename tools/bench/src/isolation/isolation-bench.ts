import { setTimeout as sleep } from 'node:timers/promises';
import { conditionsOf } from '../bench.ts';
import { runWorkload, warmUpWorkload, type Workload } from '../driver/workload.ts';
import { startInstallation } from '../installation.ts';
import type { BenchOptions } from '../options.ts';
import { startReceiver } from '../receiver/start-receiver.ts';
import { keptItsPromises } from '../result.ts';
import { startServers } from '../servers.ts';
import { onStage, type BenchDeps, type Stage } from '../stage.ts';
import { judgeIsolation, type IsolationResult, type SeenRound } from './isolation-result.ts';
import { type IsolationSize, roundsOf, type Round } from './rounds.ts';

const EVENTS_PER_S = 6;
const ROUND_S = 10;

/** The run as `--isolation` makes it. */
export function isolationSize({ load: { rate } }: BenchOptions): IsolationSize {
  const eventsPerS = rate === 0 ? EVENTS_PER_S : rate;
  return { webhooks: 100, eventsPerS, eventsPerRound: eventsPerS * ROUND_S, cycles: 2 };
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
/** The last events of a round reach their receivers before those change. */
const ROUND_ENDS_AFTER_MS = 1000;

export interface IsolationRun {
  readonly conditions: readonly string[];
  readonly result: IsolationResult;
}

/** Measures what bad receivers do to the webhooks of the others. */
export function runIsolationBench(
  options: BenchOptions,
  deps: BenchDeps,
  size: IsolationSize = isolationSize(options),
): Promise<IsolationRun> {
  return onStage(
    deps,
    (stage) => measure(options, deps, size, stage),
    ({ result }) => keptItsPromises(result),
  );
}

async function measure(
  options: BenchOptions,
  deps: BenchDeps,
  size: IsolationSize,
  stage: Stage,
): Promise<IsolationRun> {
  const { report, env } = deps;
  const { webhooks, eventsPerS, eventsPerRound } = size;
  const rounds = roundsOf(size);
  const events = rounds.length * eventsPerRound;

  report('Starting PostgreSQL, Redis, API, workers and receivers …');
  const servers = await stage.guarded(startServers(deps, stage));
  const receiver = await startReceiver(stage);
  // A port for each webhook: what answers at one host and port is one receiver, and shares one bound.
  const ports = await stage.guarded(receiver.call('listen', webhooks));
  const webhookUrls = ports.map((port, webhook) => `http://127.0.0.1:${port}/${webhook}`);
  const base = { options, servers, receiver, webhookUrls, settings: SETTINGS };
  const installation = await startInstallation(
    { ...base, name: 'isolation', databaseUrl: servers.databaseUrl },
    deps,
    stage,
  );
  await installation.startWorkers();
  const how = { batch: 1, connections: options.load.connections, rate: eventsPerS };

  const warm = warmUpWorkload(events);
  report(`Warming up with ${warm.events} events …`);
  await installation.expect(warm);
  await installation.send(warm, how);
  await installation.untilDelivered(warm.events * webhooks);

  const run = runWorkload(events);
  await installation.expect(run);
  const seen: SeenRound[] = [];
  for (const [index, round] of rounds.entries()) {
    report(`Round ${index + 1} of ${rounds.length}, receivers: ${round.trouble} …`);
    await receiver.call('behave', round.behaviours);
    const { sentAtMs } = await installation.send(partOf(run, round), how);
    await stage.guarded(sleep(ROUND_ENDS_AFTER_MS));
    const wellAgain = round.behaviours.map(() => 'prompt' as const);
    seen.push({ round, sentAtMs, requestsAtBad: await receiver.call('behave', wellAgain) });
    // Nothing of a round is left to the next.
    await installation.untilDelivered((round.firstEvent + round.events) * webhooks);
  }
  const load = `Load:     ${webhooks} webhooks, each owed every event: ${eventsPerS} events/s; rounds of ${eventsPerRound} events`;
  return {
    conditions: [...conditionsOf(servers, options, env), load],
    result: judgeIsolation(seen, await receiver.call('arrivals')),
  };
}

/** The events of one round, numbered from 0. */
function partOf(run: Workload, { firstEvent, events }: Round): Workload {
  return { phase: run.phase, events, body: (from, to) => run.body(firstEvent + from, firstEvent + to) };
}
