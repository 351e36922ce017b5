import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../clock.ts';
import { describeMachine } from '../measure/machine.ts';
import { readTree, residentBytes } from '../measure/process-table.ts';
import type { BenchOptions } from '../options.ts';
import { apiOfRun } from '../process/api-of-run.ts';
import { withClient } from '../services/bench-database.ts';
import { servicesOfRun } from '../services/services-of-run.ts';
import { clientOf, setUpTenant, type CallHeaders } from '../setup.ts';
import { onStage, type BenchDeps, type Stage } from '../stage.ts';
import { publish, type ToldWebhook } from './publish.ts';
import { watch, type Watching } from './watch.ts';

/** What an API process used while so many events a second were told. */
export interface ViewersRound {
  readonly eventsPerS: number;
  /** Events that viewers were told in a second, each viewer counted. */
  readonly toldPerS: number;
  readonly lost: number;
  /** Of one core. */
  readonly cpuShare: number;
  readonly residentBytes: number;
}

export interface ViewersResult {
  readonly viewers: number;
  readonly machine: string;
  /** Of the API before the first viewer. */
  readonly residentBytesBefore: number;
  readonly rounds: readonly ViewersRound[];
}

/** What one process lets one tenant have. */
const viewersOfTenant = 200;
const rates = [0, 50, 200];
const secondsOfRound = 10;

/** Connects viewers of `GET /Live` to one API, and measures what telling them costs it. */
export function runViewersBench(options: BenchOptions, deps: BenchDeps): Promise<ViewersResult> {
  return onStage(
    deps,
    (stage) => measure(options, deps, stage),
    ({ rounds }) => rounds.every(({ lost }) => lost === 0),
  );
}

async function measure(options: BenchOptions, deps: BenchDeps, stage: Stage): Promise<ViewersResult> {
  const { viewers } = options;
  const { tell } = deps;
  const { guarded, onStop } = stage;
  tell('Starting PostgreSQL, Redis and API …');
  const services = await servicesOfRun(deps, stage);
  const callers: CallHeaders[] = [];
  for (let tenant = 0; tenant < Math.ceil(viewers / viewersOfTenant); tenant += 1) {
    callers.push((await guarded(setUpTenant(services.postgres.url, `bench-${tenant}`))).integrator);
  }
  const api = await apiOfRun(options, deps, stage, services);
  for (const caller of callers) await guarded(registerWebhook(api.url, caller));
  const webhooks = await guarded(
    withClient(services.postgres.url, async (client) => {
      const { rows } = await client.query<{ tenantId: number; webhookKey: string }>(
        'SELECT tenant_id AS "tenantId", key AS "webhookKey" FROM webhooks',
      );
      return rows.map(({ tenantId, webhookKey }): ToldWebhook => ({ tenantId, webhookKey: Number(webhookKey) }));
    }),
  );
  const residentBytesBefore = (await residentBytes(api.pid)) ?? Number.NaN;
  tell(`Connecting ${viewers} viewers …`);
  const watching = await guarded(watch(api.url, callers, viewers));
  onStop(async () => watching.stop());
  const rounds: ViewersRound[] = [];
  for (const eventsPerS of rates) {
    tell(`${eventsPerS} events a second for ${secondsOfRound} s …`);
    const publishing = () =>
      publish(services.redis.url, services.redisPrefix, webhooks, { eventsPerS, seconds: secondsOfRound });
    rounds.push(await guarded(roundOf(eventsPerS, api.pid, watching, publishing)));
  }
  return { viewers, machine: await describeMachine(services.dataDir), residentBytesBefore, rounds };
}

async function roundOf(
  eventsPerS: number,
  pid: number,
  { told, lost }: Watching,
  publishing: () => Promise<unknown>,
): Promise<ViewersRound> {
  const cpuS = async () => (await readTree(pid))?.cpuS ?? Number.NaN;
  const before = { atMs: nowMs(), cpuS: await cpuS(), told: told(), lost: lost() };
  await publishing();
  // What was published last is still on its way.
  await sleep(1_000);
  const seconds = (nowMs() - before.atMs) / 1000;
  return {
    eventsPerS,
    toldPerS: (told() - before.told) / seconds,
    lost: lost() - before.lost,
    cpuShare: ((await cpuS()) - before.cpuS) / seconds,
    residentBytes: (await residentBytes(pid)) ?? Number.NaN,
  };
}

async function registerWebhook(url: string, caller: CallHeaders): Promise<void> {
  const target = 'http://127.0.0.1:9700/';
  await clientOf(url, caller).POST('/v1.0/CompanyWebhooks', {
    body: { name: 'viewed', webhookUrl: target, deactivationUrl: target, secretKey: 'of no one' },
  });
}
