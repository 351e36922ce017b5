import { randomBytes } from 'node:crypto';
import { startAppProcess, type AppProcess } from './app-process.ts';
import { fastWaysSettings } from '../fast-ways.ts';
import { builtMain, type App } from './built-app.ts';
import { bundledMain } from './bundled-app.ts';

export type Settings = Readonly<Record<string, string>>;

export interface InstallationOptions {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly redisPrefix: string;
  /** Configuration of all processes, as in docs/configuration.md. */
  readonly settings?: Settings;
  /** The directory of built programs, which are started as they are; by default, a bundle of those of this checkout. */
  readonly root?: string | undefined;
}

/** APIs and workers that share a database and a Redis. */
export interface Installation {
  /** The seed text of the key ring. */
  readonly secretKeys: string;
  /** Starts a process, ready or not. `name` is for messages; `settings` are its own, beyond the common ones. */
  start(app: App, name: string, settings?: Settings): AppProcess;
  /** All processes ever started, oldest first. */
  processes(): readonly AppProcess[];
  /** Kills the running processes; nothing can be started afterwards. */
  stop(): Promise<void>;
}

/** Prepares an installation on loopback; nothing is started yet. Rejects when the processes are not built. */
export async function prepareInstallation(options: InstallationOptions): Promise<Installation> {
  const mainOf = (app: App) => (options.root === undefined ? bundledMain(app) : builtMain(app, options.root));
  const mains = { api: await mainOf('api'), worker: await mainOf('worker') };
  const secretKeys = `k1:${randomBytes(32).toString('base64')}`;
  const common: Settings = {
    DATABASE_URL: options.databaseUrl,
    DATABASE_POOL_SIZE: '5',
    REDIS_URL: options.redisUrl,
    REDIS_PREFIX: options.redisPrefix,
    SECRET_KEYS: secretKeys,
    ALLOW_HTTP_TARGETS: 'true',
    CALLOUT_ALLOW_CIDRS: '127.0.0.1/32',
    API_PORT: '0',
    WORKER_HEALTH_PORT: '0',
    ...fastWaysSettings,
    ...options.settings,
  };
  const processes: AppProcess[] = [];
  let isStopped = false;
  return {
    secretKeys,
    processes: () => processes,
    start(app, name, settings) {
      if (isStopped) throw new Error(`${name} is not started: the installation has been stopped`);
      const started = startAppProcess(name, mains[app], { ...common, ...settings });
      processes.push(started);
      return started;
    },
    async stop() {
      isStopped = true;
      await Promise.all(processes.map((one) => one.signal('SIGKILL')));
    },
  };
}
