import path from 'node:path';
import { ApiError, createClient } from '@callout/client';
import type { IssuedCredential } from '@callout/tenancy/tenants';
import { steadyPort } from '@callout/local/process';
import { CannotGoOn, reasonOf } from '../cannot-go-on.ts';
import type { LocalConfig } from '../local-config.ts';
import type { StopList } from '../process/run-then-stop.ts';
import { startApp, type AppProcess } from './app-process.ts';
import { choosePort } from './ports.ts';

interface AppDeps {
  readonly env: Record<string, string | undefined>;
  readonly config: LocalConfig;
  readonly logFile: string;
  readonly stop: AbortSignal;
  readonly stops: StopList;
  /** They start again when a file that they have loaded changes. */
  readonly isDevelopment: boolean;
  /** Replaced by another one when it is in use. */
  readonly preferredPort: number | undefined;
}

export interface ApiDeps extends AppDeps {
  /** One that only our own API knows. */
  readonly credential: IssuedCredential;
  /** Of the operator API; replaced by another one when it is in use. */
  readonly preferredOperatorPort: number | undefined;
}

export interface RunningApp extends AppProcess {
  readonly port: number;
}

export interface RunningApi extends RunningApp {
  /** Up to and including `/v1.0`. */
  readonly url: string;
  readonly operatorPort: number;
}

const root = path.resolve(import.meta.dirname, '../../../..');
/** Beyond its own limit. */
const STOP_GRACE_MS = 5_000;
const MOST_TRIES = 5;

const apiSetting = ({ apiPort }: LocalConfig) => ({ key: 'API_PORT', port: apiPort });
const operatorSetting = ({ operatorPort }: LocalConfig) => ({ key: 'OPERATOR_PORT', port: operatorPort });
const workerSetting = ({ workerPort }: LocalConfig) => ({ key: 'WORKER_HEALTH_PORT', port: workerPort });

/** Before anything is started, which takes seconds. @throws CannotGoOn when a port that the user has set is in use. */
export async function checkPorts(config: LocalConfig): Promise<void> {
  await choosePort(apiSetting(config), undefined);
  await choosePort(operatorSetting(config), undefined);
  await choosePort(workerSetting(config), undefined);
}

/** The port that the API will listen on, unless it is in use by then. */
export function chooseApiPort(config: LocalConfig, preferredPort: number | undefined): Promise<number> {
  return choosePort(apiSetting(config), preferredPort);
}

/** A worker that is on its way. */
export interface StartingWorker {
  /** Resolves with the worker when it can do its work, on another port if its own was used meanwhile. */
  readonly ready: () => Promise<RunningApp>;
}

/** Starts the worker and does not wait for it. */
export async function startWorker({
  env,
  config,
  logFile,
  stop,
  stops,
  isDevelopment,
  preferredPort,
}: AppDeps): Promise<StartingWorker> {
  const isOurChoice = config.workerPort === undefined || config.workerPort === 0;
  const startOn = async (preferred: number): Promise<RunningApp> => {
    stop.throwIfAborted();
    const port = await choosePort(workerSetting(config), preferred);
    const worker = await startApp({
      name: 'worker',
      file: path.join(root, 'apps/worker/dist/main.js'),
      env: { ...env, WORKER_HEALTH_PORT: String(port) },
      logFile,
      port,
      isDevelopment,
      stopTimeoutMs: config.drainTimeoutMs + STOP_GRACE_MS,
    });
    stops.add('the worker', worker.stop);
    return { ...worker, port };
  };
  const first = await startOn(await steadyIfTaken(preferredPort));
  return {
    async ready() {
      let worker = first;
      for (let tries = 1; ; tries++) {
        try {
          await worker.ready(stop);
          return worker;
        } catch (error) {
          const how = await stopped(worker);
          if (!isOurChoice || tries === MOST_TRIES || !how.includes('EADDRINUSE')) throw error;
          worker = await startOn(await steadyPort());
        }
      }
    },
  };
}

/** Seconds pass before the worker binds its port: one that systems assign by chance may be in use by then. */
async function steadyIfTaken(preferred: number | undefined): Promise<number> {
  if (
    preferred !== undefined &&
    (await choosePort({ key: 'WORKER_HEALTH_PORT', port: undefined }, preferred)) === preferred
  )
    return preferred;
  return steadyPort();
}

/**
 * Starts the API and waits until it responds. A port that was free before may be in use when the API binds it, for
 * example by a concurrent start. Then it gets another one, unless the user has set it.
 */
export async function startApi({
  env,
  config,
  logFile,
  stop,
  stops,
  isDevelopment,
  ...deps
}: ApiDeps): Promise<RunningApi> {
  const isOurChoice = config.apiPort === undefined || config.apiPort === 0;
  for (let tries = 1; ; tries++) {
    stop.throwIfAborted();
    const port = await choosePort(apiSetting(config), deps.preferredPort);
    const operatorPort = await choosePort(operatorSetting(config), deps.preferredOperatorPort);
    const url = `http://127.0.0.1:${port}/${config.apiRoot}/v1.0`;
    const api = await startApp({
      name: 'API',
      file: path.join(root, 'apps/api/dist/main.js'),
      env: { ...env, API_PORT: String(port), OPERATOR_PORT: String(operatorPort) },
      logFile,
      port,
      isDevelopment,
      stopTimeoutMs: config.drainTimeoutMs + STOP_GRACE_MS,
    });
    stops.add('the API', api.stop);
    try {
      await api.ready(stop);
      const problem = await problemWith(url, deps.credential);
      if (problem === undefined) return { ...api, url, port, operatorPort };
      // Another program responds there, and our process is about to find out; if not, our process is broken.
      await Promise.race([api.ended, patience()]);
      throw new CannotGoOn(`${problem}\n${await stopped(api)}`);
    } catch (error) {
      const how = await stopped(api);
      if (!isOurChoice || tries === MOST_TRIES || !how.includes('EADDRINUSE')) throw error;
    }
  }
}

/** The error when the API refuses a credential that was issued a moment ago. */
async function problemWith(url: string, credential: IssuedCredential): Promise<string | undefined> {
  try {
    const client = createClient({ baseUrl: url.replace(/\/v1\.0$/u, ''), credential, retry: false });
    await client.GET('/v1.0/ThresholdInformation');
    return undefined;
  } catch (error) {
    return error instanceof ApiError
      ? `${url} answers ${error.status}: ${error.message}`
      : `${url} does not answer: ${reasonOf(error)}`;
  }
}

async function stopped(app: AppProcess): Promise<string> {
  await app.stop();
  return app.ended;
}

/** How long a process that cannot have its port may take to report it. */
function patience(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 10_000).unref();
  });
}
