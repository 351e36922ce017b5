import path from 'node:path';
import { steadyPort } from '@callout/local/process';
import { drainTimeoutMs } from '@callout/runtime/process/lifecycle';
import type { LocalConfig } from '../local-config.ts';
import type { StopList } from '../run-then-stop.ts';
import { startApp, type AppOptions, type AppProcess } from './app-process.ts';
import { choosePort } from './ports.ts';

interface AppDeps {
  readonly env: Record<string, string | undefined>;
  readonly config: LocalConfig;
  readonly logFile: string;
  readonly stop: AbortSignal;
  readonly stops: StopList;
  /** They start again when a loaded file changes. */
  readonly isDevelopment: boolean;
  /** Replaced by another port when in use. */
  readonly preferredPort: number | undefined;
}

export interface ApiDeps extends AppDeps {
  /** Of the operator API; replaced by another port when in use. */
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

/** A process on its way. */
export interface StartingApp<App extends RunningApp> {
  /** Resolves with the process when it can do its work, on another port if the first was used meanwhile. */
  readonly ready: () => Promise<App>;
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

/** The ports of the API, unless they are in use by then: the worker names them in mail. */
export async function chooseApiPorts(
  config: LocalConfig,
  preferred: { readonly api?: number; readonly operator?: number },
): Promise<{ api: number; operator: number }> {
  return {
    api: await choosePort(apiSetting(config), preferred.api),
    operator: await choosePort(operatorSetting(config), preferred.operator),
  };
}

/** Starts the worker and does not wait for it. */
export async function startWorker(deps: AppDeps): Promise<StartingApp<RunningApp>> {
  const { config, preferredPort } = deps;
  let preferred = await steadyIfTaken(preferredPort);
  return starting(deps, config.workerPort, async () => {
    const port = await choosePort(workerSetting(config), preferred);
    preferred = await steadyPort();
    const settings = { WORKER_HEALTH_PORT: String(port) };
    return { ...(await start(deps, { name: 'worker', app: 'worker', port, settings })), port };
  });
}

/** Seconds pass before the worker binds its port: a port that the system assigns by chance may be in use by then. */
async function steadyIfTaken(preferred: number | undefined): Promise<number> {
  if (
    preferred !== undefined &&
    (await choosePort({ key: 'WORKER_HEALTH_PORT', port: undefined }, preferred)) === preferred
  )
    return preferred;
  return steadyPort();
}

/** Starts the API and does not wait for it. */
export function startApi(deps: ApiDeps): Promise<StartingApp<RunningApi>> {
  const { config, preferredPort, preferredOperatorPort } = deps;
  return starting(deps, config.apiPort, async () => {
    const port = await choosePort(chosenBefore(apiSetting(config)), preferredPort);
    const operatorPort = await choosePort(chosenBefore(operatorSetting(config)), preferredOperatorPort);
    const settings = { API_PORT: String(port), OPERATOR_PORT: String(operatorPort) };
    const api = await start(deps, { name: 'API', app: 'api', port, settings });
    return { ...api, url: `http://127.0.0.1:${port}/${config.apiRoot}/v1.0`, port, operatorPort };
  });
}

/** Of a setting that leaves the port to us, the preferred port, which was chosen before. */
function chosenBefore({ key, port }: { readonly key: string; readonly port: number | undefined }) {
  return { key, port: port === 0 ? undefined : port };
}

async function start(
  { env, logFile, stops, isDevelopment }: AppDeps,
  { name, app, port, settings }: Pick<AppOptions, 'name' | 'port'> & { app: string; settings: Record<string, string> },
): Promise<AppProcess> {
  const process = await startApp({
    ...{ name, port, logFile, isDevelopment },
    file: path.join(root, `apps/${app}/dist/main.js`),
    env: { ...env, ...settings },
    stopTimeoutMs: drainTimeoutMs + STOP_GRACE_MS,
  });
  stops.add(`the ${name}`, process.stop);
  return process;
}

/**
 * Starts a process. A port that was free before may be in use when the process binds the port, for example by a
 * concurrent start. Then the process gets another port, unless the user has set the port.
 */
async function starting<App extends RunningApp>(
  { stop }: AppDeps,
  chosenPort: number | undefined,
  startOne: () => Promise<App>,
): Promise<StartingApp<App>> {
  const isOurChoice = chosenPort === undefined || chosenPort === 0;
  let app = await startOne();
  return {
    async ready() {
      for (let tries = 1; ; tries++) {
        try {
          await app.ready(stop);
          return app;
        } catch (error) {
          await app.stop();
          const how = await app.ended;
          if (!isOurChoice || tries === MOST_TRIES || !how.includes('EADDRINUSE')) throw error;
        }
        stop.throwIfAborted();
        app = await startOne();
      }
    },
  };
}
