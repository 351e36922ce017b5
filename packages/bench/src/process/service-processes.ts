import { randomBytes } from 'node:crypto';
import { apiConfig, workerConfig } from '@callout/runtime/config';
import type { BenchOptions } from '../options.ts';
import type { Services } from '../services/services.ts';
import type { ForkedProgram, ForkOptions, Program } from './fork-program.ts';
import { freePort } from './free-port.ts';
import { profiled, type Programs } from './programs.ts';
import { waitUntilReady } from './wait-until-ready.ts';

/** The API and the workers as they run in production, each a process of its own. Both resolve when all are ready. */
export interface ServiceProcesses {
  /** `url` is up to and including `/v1.0`. */
  startApi(): Promise<{ readonly url: string; readonly pid: number; readonly stop: () => Promise<void> }>;
  startWorkers(): Promise<readonly ForkedProgram[]>;
}

interface ServiceDeps {
  readonly fork: (options: Omit<ForkOptions, 'logDir'>) => Promise<ForkedProgram>;
  readonly programs: Programs;
  readonly services: Services;
  /** From `settingsOf`. */
  readonly settings: Readonly<Record<string, string>>;
  /** As SECRET_KEYS has them, for a database that was filled before; others get a key of their own. */
  readonly secretKeys?: string;
}

/** Waits that let a failing receiver's callouts end within a run; the standard ones take hours. */
const QUICK_RETRIES = '500ms,500ms,500ms,500ms';
const MOST_ACTIVE_WEBHOOKS = 50;

export function serviceProcesses(options: BenchOptions, deps: ServiceDeps): ServiceProcesses {
  const { programs, services, settings } = deps;
  const env = {
    PATH: '/usr/bin:/bin',
    ...settings,
    DATABASE_URL: services.postgres.url,
    REDIS_URL: services.redis.url,
    REDIS_PREFIX: services.redisPrefix,
    SECRET_KEYS: deps.secretKeys ?? `bench:${randomBytes(32).toString('base64')}`,
    ALLOW_HTTP_TARGETS: 'true',
    CALLOUT_ALLOW_CIDRS: '127.0.0.1/32',
    MAX_ACTIVE_WEBHOOKS_PER_ENTITY: String(Math.max(MOST_ACTIVE_WEBHOOKS, options.fanout)),
  };

  async function start(program: Program, portName: string): Promise<{ started: ForkedProgram; port: number }> {
    const port = await freePort();
    const started = await deps.fork({
      program: profiled(program, options.profile),
      env: { ...env, [portName]: String(port) },
    });
    await Promise.race([waitUntilReady(started.name, port), started.crashed]);
    return { started, port };
  }

  return {
    async startApi() {
      const { started, port } = await start(programs.api, 'API_PORT');
      return { url: `http://127.0.0.1:${port}/${API_ROOT}/v1.0`, pid: started.pid, stop: () => started.stop() };
    },
    async startWorkers() {
      const workers = Array.from({ length: options.workers }, (_, index) =>
        start({ ...programs.worker, name: `${programs.worker.name}-${index + 1}` }, 'WORKER_HEALTH_PORT'),
      );
      return (await Promise.all(workers)).map(({ started }) => started);
    },
  };
}

const API_ROOT = 'atservicesrest';

/** Set by the run itself, or without meaning in it. */
const NOT_CHOSEN = new Set([
  ...['DATABASE_URL', 'REDIS_URL', 'REDIS_PREFIX', 'SECRET_KEYS', 'ALLOW_HTTP_TARGETS', 'CALLOUT_ALLOW_CIDRS'],
  ...['API_HOST', 'API_PORT', 'API_ROOT', 'MAX_ACTIVE_WEBHOOKS_PER_ENTITY', 'WORKER_HEALTH_HOST', 'WORKER_HEALTH_PORT'],
]);

/** The settings of API and worker that a run has beyond their defaults: its own, and those that the environment holds. */
export function settingsOf(
  { failing }: BenchOptions,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const names = new Set([...Object.keys(apiConfig.shape), ...Object.keys(workerConfig.shape)]);
  const chosen = [...names].flatMap((name) => {
    const value = env[name];
    return value === undefined || value === '' || NOT_CHOSEN.has(name) ? [] : [[name, value] as const];
  });
  return { ...(failing > 0 && { RETRY_SCHEDULE: QUICK_RETRIES }), ...Object.fromEntries(chosen) };
}
