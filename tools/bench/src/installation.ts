import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@callout/client';
import { applyMigrations } from '@callout/database/schema/migrations';
import { freePort } from '@callout/local/process';
import { apiConfig } from '@callout/runtime/config/api';
import { workerConfig } from '@callout/runtime/config/worker';
import { nodeFlags } from '@callout/runtime/process/node-flags';
import { CHANGED_FIELD, fillers } from './driver/company-fields.ts';
import { drive, type Driven } from './driver/drive.ts';
import type { Workload } from './driver/workload.ts';
import { observePostgres, type PostgresObserver } from './measure/postgres.ts';
import { readUsage, type Usage, type UsageDeps } from './measure/usage.ts';
import type { BenchOptions } from './options.ts';
import type { Load } from './plan.ts';
import type { Behaviour } from './receiver/counting-receiver.ts';
import type { StartedReceiver } from './receiver/start-receiver.ts';
import type { Servers } from './servers.ts';
import type { BenchDeps, ForkedProgram, Stage } from './stage.ts';
import { addTenant } from './tenant.ts';

/** API and workers over a database of their own, with a tenant, its webhooks and the receiver behind them. */
export interface Installation {
  readonly tenantId: number;
  readonly postgres: PostgresObserver;
  startWorkers(): Promise<void>;
  /** @throws Error when an event is not accepted. */
  send(workload: Workload, how: Pick<Load, 'batch' | 'connections' | 'rate'>): Promise<Driven>;
  /** Makes the receiver expect the callouts of a workload. */
  expect(workload: Workload, behaviours?: readonly Behaviour[]): Promise<void>;
  /** Waits until so many callouts have come and everything is stored, or until no more come. */
  untilDelivered(callouts: number): Promise<void>;
  usage(): Promise<Usage>;
}

export interface InstallationOptions {
  /** Names its logs, and its keys in Redis. */
  readonly name: string;
  readonly databaseUrl: string;
  readonly options: BenchOptions;
  /** Of the webhooks, each owed every event. */
  readonly webhookUrls: readonly string[];
  readonly servers: Servers;
  readonly receiver: StartedReceiver;
  readonly settings?: Readonly<Record<string, string>>;
}

/** Longer than a lease, and than the longest pause of a webhook. */
const PATIENCE_MS = 120_000;
const LOOK_EVERY_MS = 25;

export async function startInstallation(
  given: InstallationOptions,
  deps: BenchDeps,
  stage: Stage,
): Promise<Installation> {
  const { options, servers, receiver, databaseUrl, webhookUrls } = given;
  const { guarded, onStop } = stage;
  await guarded(applyMigrations(databaseUrl));
  const callers = await guarded(addTenant(databaseUrl, 'bench'));
  const env = {
    PATH: '/usr/bin:/bin',
    ...given.settings,
    ...settingsOf(deps.env),
    DATABASE_URL: databaseUrl,
    REDIS_URL: servers.redisUrl,
    REDIS_PREFIX: `${servers.name}_${given.name}`,
    SECRET_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    ALLOW_HTTP_TARGETS: 'true',
    CALLOUT_ALLOW_CIDRS: '127.0.0.1/32',
    MAX_ACTIVE_WEBHOOKS_PER_ENTITY: String(Math.max(50, webhookUrls.length)),
  };
  const start = async (app: 'api' | 'worker', name: string, portName: string) => {
    const port = await freePort();
    const started = await stage.fork({
      name,
      file: `apps/${app}/dist/main.js`,
      execArgv: nodeFlags,
      env: { ...env, [portName]: String(port) },
    });
    await guarded(untilReady(name, port));
    return { started, port };
  };
  const api = await start('api', `${given.name}-api`, 'API_PORT');
  const apiUrl = `http://127.0.0.1:${api.port}/atservicesrest`;
  await guarded(registerWebhooks(apiUrl, callers.integrator, webhookUrls));
  const postgres = await observePostgres(databaseUrl, onStop);
  let workers: ForkedProgram[] = [];

  const pids = (): UsageDeps['pids'] => ({
    api: [api.started.pid],
    worker: workers.length === 0 ? 'not started' : workers.map(({ pid }) => pid),
    postgres: servers.postgresPid === undefined ? [] : [servers.postgresPid],
    redis: servers.redisPid === undefined ? [] : [servers.redisPid],
    receiver: [receiver.pid],
  });
  return {
    tenantId: callers.tenantId,
    postgres,
    async startWorkers() {
      const names = Array.from({ length: options.workers }, (_, index) => `${given.name}-worker-${index + 1}`);
      const all = await Promise.all(names.map((name) => start('worker', name, 'WORKER_HEALTH_PORT')));
      workers = all.map(({ started }) => started);
    },
    send: (workload, { batch, connections, rate }) =>
      guarded(
        drive({
          url: `${apiUrl}/v1.0/EntityEvents`,
          headers: callers.source,
          events: workload.events,
          eventsPerRequest: batch,
          body: (from, to) => workload.body(from, to),
          isAccepted: areAllAccepted,
          connections,
          rate,
        }),
      ),
    expect: ({ phase, events }, behaviours = webhookUrls.map(() => 'prompt')) =>
      receiver.call('begin', { source: { kind: 'callout', phase }, events, behaviours }),
    async untilDelivered(callouts) {
      const isNothingOwed = async () => (await postgres.owed()) === 0;
      await guarded(receiver.waitFor(callouts, PATIENCE_MS, isNothingOwed));
      // Results are stored a little after the receiver has answered; what that costs belongs to the run.
      const deadline = Date.now() + PATIENCE_MS;
      while (!(await isNothingOwed()) && Date.now() < deadline) await guarded(sleep(LOOK_EVERY_MS));
    },
    usage: () => readUsage({ pids: pids(), postgres }),
  };
}

/** Set by the run itself, or without meaning in it. */
const NOT_CHOSEN =
  /^(DATABASE_URL|REDIS_|SECRET_KEYS|ALLOW_HTTP|CALLOUT_ALLOW|API_(HOST|PORT|ROOT)|MAX_ACTIVE|WORKER_H)/;

/** The settings of API and worker that the environment holds. */
export function settingsOf(env: BenchDeps['env']): Record<string, string> {
  const names = new Set([...Object.keys(apiConfig.shape), ...Object.keys(workerConfig.shape)]);
  const chosen = [...names].filter((name) => env[name] && !NOT_CHOSEN.test(name));
  return Object.fromEntries(chosen.map((name) => [name, env[name] ?? '']));
}

/**
 * Waits until a process answers its `/readyz` with 200.
 * @throws Error with its last answer, when it does not in time.
 */
async function untilReady(name: string, port: number): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const missing = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      async (response) => (response.ok ? undefined : response.text()),
      () => 'it does not listen',
    );
    if (missing === undefined) return;
    if (Date.now() > deadline) throw new Error(`${name} is not ready: ${missing}`);
    await sleep(LOOK_EVERY_MS);
  }
}

/** Registers webhooks as an integrator would: one field triggers, the others are always shown. */
async function registerWebhooks(
  baseUrl: string,
  headers: Record<string, string>,
  webhookUrls: readonly string[],
): Promise<void> {
  const client = createClient({ baseUrl, headers });
  for (const [webhook, url] of webhookUrls.entries()) {
    await client.POST('/v1.0/CompanyWebhooks', {
      body: {
        name: `bench.Company.${webhook}`,
        webhookUrl: url,
        deactivationUrl: url,
        secretKey: 'a secret of thirty-two characters',
        isActive: true,
        isSubscribedToCreateEvents: true,
        isSubscribedToUpdateEvents: true,
        fields: [
          { field: CHANGED_FIELD, isSubscribedField: true },
          ...fillers.map(({ name }) => ({ field: name, isDisplayAlwaysField: true })),
        ],
      },
    });
  }
}

/** An event that is refused, known or changes nothing causes no callout. */
function areAllAccepted(status: number, body: string, events: number): boolean {
  if (status !== 202) return false;
  const { items } = JSON.parse(body) as { items: { status: string }[] };
  return items.length === events && items.every((item) => item.status === 'accepted');
}
