import { setTimeout as sleep } from 'node:timers/promises';
import { drive } from '../driver/drive.ts';
import { createWorkloads, type Phase, type Workload } from '../driver/workload.ts';
import { observePostgres } from '../measure/postgres-observer.ts';
import { readUsage } from '../measure/usage.ts';
import type { BenchOptions } from '../options.ts';
import { makePlan } from '../plan.ts';
import { serviceProcesses, settingsOf } from '../process/service-processes.ts';
import type { CountingReceiver } from '../receiver/counting-receiver.ts';
import { judgeRun, type BenchResult } from '../report/result.ts';
import { withClient } from '../services/bench-database.ts';
import type { Services } from '../services/services.ts';
import type { Callers } from '../setup.ts';
import type { BenchDeps, Stage } from '../stage.ts';
import { observeBlocks } from './observe-blocks.ts';

/** A load that both databases get in turn. */
export interface Load {
  readonly name: string;
  readonly events: number;
  readonly batch: number;
  readonly connections: number;
  /** Events per second; 0: as many as are accepted. */
  readonly rate: number;
}

/** What a load did to one database. */
export interface LoadResult extends BenchResult {
  /** Blocks that PostgreSQL read for each callout, from its buffers or from the disk; of those not found in its buffers. */
  readonly blocksPerCallout: number;
  readonly missesPerCallout: number;
  /** Pages that the log has whole, since they were changed for the first time after a checkpoint. */
  readonly wholePagesPerCallout: number;
}

/** A database with the processes that serve it. */
export interface HistorySide {
  readonly apiUrl: string;
  readonly apiPid: number;
  readonly workerPid: number;
  /** Creates the companies that loads change. */
  warmUp(events: number): Promise<void>;
  /** @param turn tells apart the loads that one database gets. */
  take(load: Load, turn: number): Promise<LoadResult>;
}

/** What the processes of a database are started with. */
export interface Served {
  /** Distinguishes the logs of its processes. */
  readonly name: string;
  readonly options: BenchOptions;
  readonly services: Services;
  readonly secretKeys: string;
}

export interface SideOptions extends Served {
  readonly callers: Callers;
  readonly receiver: CountingReceiver;
  readonly receiverPid: number;
}

/** Longer than a lease. */
const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 25;
/** Two letters of the run and two of the load. */
const LABELS = 36 ** 2;

/** The processes of a database: as in production, an API and a worker. */
export function processesOf({ name, options, services, secretKeys }: Served, deps: BenchDeps, { fork }: Stage) {
  const { api, worker, ...others } = deps.programs;
  const programs = {
    ...others,
    api: { ...api, name: `${api.name}-${name}` },
    worker: { ...worker, name: `${worker.name}-${name}` },
  };
  // The other webhooks of a history have no secret that could be opened, and nothing is sent for them.
  const settings = { ...settingsOf(options, deps.env), ALLOW_MISSING_KEYS: 'true' };
  return serviceProcesses(options, { fork, programs, services, settings, secretKeys });
}

/** Starts the processes of a database whose webhook there is. */
export async function startSide(side: SideOptions, deps: BenchDeps, stage: Stage): Promise<HistorySide> {
  const { options, services, callers, receiver, receiverPid } = side;
  const { guarded, onStop } = stage;
  const processes = processesOf(side, deps, stage);
  const api = await guarded(processes.startApi());
  const workers = await guarded(processes.startWorkers());
  const plan = await makePlan(options);
  if (typeof plan === 'string') throw new Error(plan);
  const { company, fillers, behaviours } = plan;
  const postgres = await observePostgres(services.postgres.url);
  onStop(() => postgres.close());
  const pids = {
    api: [api.pid],
    worker: workers.map(({ pid }) => pid),
    postgres: services.postgres.pid === undefined ? [] : [services.postgres.pid],
    redis: services.redis.pid === undefined ? [] : [services.redis.pid],
    receiver: [receiverPid],
  };
  const usage = () => readUsage({ pids, postgres, redisUrl: services.redis.url });
  // Another run with the same history has made others.
  const poolAfter = Date.now();
  const run = label(poolAfter);

  const workload = (phase: Phase, events: number, turn: number): Workload =>
    createWorkloads({
      entityType: company.entityType,
      fillers,
      events,
      warmup: 0,
      place: { label: `${run}${label(turn)}`, poolAfter, newAfter: poolAfter + (turn + 1) * NEW_RECORDS },
    })[phase];
  const send = (load: Load, what: Workload) =>
    drive({
      url: `${api.url}/EntityEvents`,
      headers: callers.source,
      workload: what,
      eventsPerRequest: load.batch,
      connections: load.connections,
      eventsPerS: load.rate,
    });
  async function untilDelivered(events: number): Promise<void> {
    await receiver.waitFor(events, {
      patienceMs: PATIENCE_MS,
      isNothingOwed: async () => (await postgres.owed()) === 0,
    });
    const deadline = Date.now() + PATIENCE_MS;
    while ((await postgres.owed()) > 0 && Date.now() < deadline) await sleep(LOOK_EVERY_MS);
  }

  return {
    apiUrl: api.url,
    apiPid: api.pid,
    workerPid: workers[0]?.pid ?? 0,
    async warmUp(events) {
      const what = workload('warm', events, 0);
      await receiver.begin('warm', what.events, behaviours);
      await guarded(send({ name: 'warm', events, batch: 100, connections: 8, rate: 0 }, what));
      await guarded(untilDelivered(what.events));
    },
    async take(load, turn) {
      const what = workload('run', load.events, turn);
      await receiver.begin('run', what.events, behaviours);
      // Otherwise one of the two would log whole pages for the checkpoint that happens to fall into it.
      await withClient(services.postgres.url, (client) => client.query('CHECKPOINT'));
      const blocks = observeBlocks(services.postgres.url);
      const blocksBefore = await blocks();
      const before = await usage();
      const driven = await guarded(send(load, what));
      await guarded(untilDelivered(what.events));
      const after = await usage();
      const blocksAfter = await blocks();
      const result = judgeRun({
        options: { ...options, events: load.events },
        behaviours,
        driven,
        apiMemory: { first: undefined, middle: undefined, last: undefined },
        arrivals: await receiver.arrivals(),
        before,
        accepted: undefined,
        after,
      });
      return {
        ...result,
        blocksPerCallout: (blocksAfter.read - blocksBefore.read) / result.delivered,
        missesPerCallout: (blocksAfter.missed - blocksBefore.missed) / result.delivered,
        wholePagesPerCallout: (blocksAfter.logged - blocksBefore.logged) / result.delivered,
      };
    },
  };
}

/** New companies of one load, at most. */
const NEW_RECORDS = 100_000;

function label(n: number): string {
  return (n % LABELS).toString(36).padStart(2, '0');
}
