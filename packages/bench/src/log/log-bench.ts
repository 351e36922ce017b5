import { statfs } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { nowMs } from '../clock.ts';
import { withCpuEach } from '../measure/cpu-each.ts';
import { describeMachine } from '../measure/machine.ts';
import type { BenchOptions } from '../options.ts';
import { apiOfRun } from '../process/api-of-run.ts';
import { withClient } from '../services/bench-database.ts';
import { servicesOfRun } from '../services/services-of-run.ts';
import { setUpTenant } from '../setup.ts';
import { onStage, type BenchDeps, type Stage } from '../stage.ts';
import { ask } from './ask.ts';
import { calloutQuestions } from './callout-questions.ts';
import { eventQuestions } from './event-questions.ts';
import { fillHistory, makeOwners } from './fill-history.ts';
import { historyOf } from './history.ts';
import type { LogResult, Measured } from './log-report.ts';
import { explaining } from './plans.ts';
import { sizesOf } from './sizes.ts';

/** From so many attempts on, each question is asked as often as it may; of fewer there is less to find out. */
const MANY_ATTEMPTS = 100_000;
const TIMES = 100;
const LEAST_TIMES = 5;

/** Fills the history with about `options.log` attempts, and measures how the API answers questions about it. */
export function runLogBench(options: BenchOptions, deps: BenchDeps): Promise<LogResult> {
  return onStage(
    deps,
    (stage) => measure(options, deps, stage),
    () => true,
  );
}

async function measure(options: BenchOptions, deps: BenchDeps, stage: Stage): Promise<LogResult> {
  const { tell } = deps;
  const { guarded } = stage;
  tell('Starting PostgreSQL, Redis and API …');
  const services = await servicesOfRun(deps, stage);
  await refuseSmallDisk(services.dataDir, options.log);
  const machine = await describeMachine(services.dataDir);
  const { url } = services.postgres;
  const { integrator, tenantId } = await guarded(setUpTenant(url));

  tell(`Making a history of about ${options.log.toLocaleString('en-US')} attempts …`);
  const startedAtMs = nowMs();
  const history = historyOf(options.log, Date.now());
  const owners = await guarded(withClient(url, (client) => makeOwners(client, { tenantId })));
  const attempts = await guarded(fillHistory(url, { history, ...owners }, tell));
  const fillS = (nowMs() - startedAtMs) / 1000;
  const sizes = await guarded(withClient(url, sizesOf));

  // The webhooks of the history have no secret that could be opened, and nothing is sent for them.
  const api = await apiOfRun(options, deps, stage, services, { ALLOW_MISSING_KEYS: 'true' });
  const times = options.log < MANY_ATTEMPTS ? LEAST_TIMES : TIMES;
  const asker = { apiUrl: api.url, headers: integrator, random: Math.random, times };
  const [webhookKey = 0, webhookGuid = ''] = [owners.webhookKeys[0], owners.guids[0]];
  const asking = { history, tenantId, webhookKey, webhookGuid };
  const answered = await guarded(
    explaining(url, async (look) => {
      const measured: Measured[] = [];
      for (const question of [...calloutQuestions(asking), ...eventQuestions(asking)]) {
        tell(`Asking: ${question.name} …`);
        const one = await guarded(withCpuEach(api.pids, () => ask(asker, question)));
        measured.push({ ...one, looked: await guarded(look(question)) });
      }
      return measured;
    }),
  );
  return {
    attempts,
    callouts: history.callouts,
    events: history.events,
    webhookCallouts: history.ownEvents,
    machine,
    load: loadavg()[0] ?? Number.NaN,
    postgres: services.postgres.description,
    settings: api.settings,
    fillS,
    sizes,
    answered,
  };
}

/** What an attempt takes with its callout, body, event and verdict, and some more to be safe. */
const BYTES_PER_ATTEMPT = 1600;

/** @throws Error that says how much is missing. Of a server that was not started here it is not known. */
export async function refuseSmallDisk(dataDir: string | undefined, attempts: number): Promise<void> {
  if (dataDir === undefined) return;
  const { bavail, bsize } = await statfs(dataDir);
  const [free, needed] = [bavail * bsize, attempts * BYTES_PER_ATTEMPT].map((bytes) => Math.round(bytes / 2 ** 20));
  if (free === undefined || needed === undefined || free > needed) return;
  throw new Error(`${dataDir} has ${free} MiB left, and ${attempts} attempts may need ${needed} MiB: ask for fewer`);
}
