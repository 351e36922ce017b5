import { runWorkload, warmUpWorkload } from './driver/workload.ts';
import { settingsOf, startInstallation, type Installation } from './installation.ts';
import type { BenchOptions } from './options.ts';
import { BODY_BYTES } from './driver/company-fields.ts';
import type { Load } from './plan.ts';
import { startReceiver, type StartedReceiver } from './receiver/start-receiver.ts';
import { judgeRun, keptItsPromises, type LoadResult } from './result.ts';
import { startServers, type Servers } from './servers.ts';
import { onStage, type BenchDeps, type Stage } from './stage.ts';

export interface LoadsRun {
  /** What the loads ran on, in words. */
  readonly conditions: readonly string[];
  readonly results: readonly LoadResult[];
}

/** Runs each load in an installation of its own, one after the other. */
export async function runLoads(options: BenchOptions, deps: BenchDeps): Promise<LoadsRun> {
  const results: LoadResult[] = [];
  let conditions: readonly string[] = [];
  for (const load of options.loads) {
    const run = await onStage(
      deps,
      (stage) => measure(load, options, deps, stage),
      ({ result }) => keptItsPromises(result),
    );
    ({ conditions } = run);
    results.push(run.result);
  }
  return { conditions, results };
}

async function measure(load: Load, options: BenchOptions, deps: BenchDeps, stage: Stage) {
  deps.report(`${load.name}: starting PostgreSQL, Redis, API, workers and receiver …`);
  const servers = await stage.guarded(startServers(deps, stage));
  const receiver = await startReceiver(stage);
  const [port = 0] = await stage.guarded(receiver.call('listen', 1));
  const webhookUrls = Array.from({ length: load.fanout }, (_, webhook) => `http://127.0.0.1:${port}/${webhook}`);
  const base = { options, servers, receiver, webhookUrls };
  const installation = await startInstallation(
    { ...base, name: 'bench', databaseUrl: servers.databaseUrl },
    deps,
    stage,
  );
  await installation.startWorkers();
  const measured = { installation, receiver };
  await warmUp(load, measured, deps);
  const result = await measureLoad(load, 1, measured, deps);
  return { conditions: conditionsOf(servers, options, deps.env), result };
}

/** What loads are measured with. */
export interface Measured {
  readonly installation: Installation;
  readonly receiver: StartedReceiver;
}

/** Creates the companies of a load, and lets Node compile. @throws Error when not every callout arrives. */
export async function warmUp(load: Load, { installation, receiver }: Measured, { report }: BenchDeps) {
  const workload = warmUpWorkload(load.events, load.warmup);
  report(`${load.name}: warming up with ${workload.events} events …`);
  await installation.expect(workload);
  await installation.send(workload, { ...load, rate: 0 });
  const owed = workload.events * load.fanout;
  await installation.untilDelivered(owed);
  const delivered = await receiver.call('delivered');
  if (delivered < owed) throw new Error(`only ${delivered} of ${owed} callouts of the warm-up came`);
}

/** @param turn differs for each load that an installation gets. */
export async function measureLoad(
  load: Load,
  turn: number,
  { installation, receiver }: Measured,
  { report }: BenchDeps,
): Promise<LoadResult> {
  const workload = runWorkload(load.events, turn);
  report(`${load.name}: measuring ${load.events} events …`);
  await installation.expect(workload);
  // After its checkpoint, as every load: what the log costs depends on how long ago the last one was.
  const tableBytes = await installation.postgres.tableBytes();
  const before = await installation.usage();
  const driven = await installation.send(workload, load);
  await installation.untilDelivered(load.events * load.fanout);
  const after = await installation.usage();
  const grownBytes = (await installation.postgres.tableBytes()) - tableBytes;
  const arrivals = await receiver.call('arrivals');
  return judgeRun({ load, driven, arrivals, before, after, tableBytes: grownBytes });
}

/** The lines above a report. */
export function conditionsOf(servers: Servers, { workers }: BenchOptions, env: BenchDeps['env']): string[] {
  const settings = Object.entries(settingsOf(env)).map(([name, value]) => `${name}=${value}`);
  return [
    ...servers.description,
    `Settings: ${settings.length === 0 ? 'defaults' : settings.join(' ')}`,
    `Workers:  ${workers}; bodies of ${BODY_BYTES} bytes`,
  ];
}
