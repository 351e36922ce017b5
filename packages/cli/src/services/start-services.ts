import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type MailCatcher, startMailCatcher } from '@callout/local/mail';
import { LOOPBACK } from '@callout/local/process';
import { type Receiver, startReceiver } from '@callout/local/receiver';
import { CannotGoOn } from '../cannot-go-on.ts';
import type { DataDirectory } from '../data-directory.ts';
import { keyRingIn, operatorTokenIn, redisPrefixIn } from '../made-once.ts';
import { appEnvironment, type Environment, type LocalConfig } from '../local-config.ts';
import type { StopList } from '../run-then-stop.ts';
import { receiverSecretsIn } from '../receiver-secrets.ts';
import { credentialsFile } from '../tenant/credentials-file.ts';
import { provideDemoTenant, type DemoTenant } from '../tenant/demo-tenant.ts';
import { publicKeysUrl } from '../tenant/public-keys-url.ts';
import { checkPorts, chooseApiPorts, startApi, startWorker } from './apps.ts';
import { providePostgres, provideRedis, type Server } from './infrastructure.ts';
import { consoleLinks, type ConsoleLinks } from './console-links.ts';
import { logTail } from './log-tail.ts';
import type { Ports } from './ports.ts';

export interface LocalServices {
  /** Up to and including `/v1.0`. */
  readonly api: string;
  /** Of the worker's `/healthz` and `/readyz`. */
  readonly worker: string;
  /** The operator API, up to and including `/v1`, and its token. */
  readonly operator: { readonly url: string; readonly token: string };
  /** Undefined where there is none. */
  readonly console: ConsoleLinks | undefined;
  readonly receiver: Receiver;
  readonly mail: MailCatcher;
  readonly postgres: Server;
  readonly redis: Server;
  readonly demo: DemoTenant;
  readonly logFiles: readonly string[];
  readonly ports: Ports;
  /** Rejects when a service ends that should not. */
  readonly failed: Promise<never>;
}

export interface ServicesDeps {
  readonly env: Environment;
  readonly config: LocalConfig;
  readonly directory: DataDirectory;
  readonly ports: Ports;
  /** Aborted: nothing more is started. */
  readonly stop: AbortSignal;
  /** Collects the steps that stop each of them, in the order of their start. */
  readonly stops: StopList;
  /** API and worker start again when a loaded file changes. */
  readonly isDevelopment: boolean;
  /** Called with a description of each wait. */
  readonly report: (line: string) => void;
}

/**
 * Starts everything and waits until it can be used.
 * @throws CannotGoOn, or the reason of `stop`; the parts that were started by then are in `stops`.
 */
export async function startServices(deps: ServicesDeps): Promise<LocalServices> {
  const { env, config, directory, ports, stop, stops, report } = deps;
  await checkPorts(config);
  const missing = [config.databaseUrl ? [] : 'PostgreSQL', config.redisUrl ? [] : 'Redis'].flat();
  if (missing.length > 0) report(`Starting ${missing.join(' and ')} ...`);
  const [postgres, redis] = await startServers(deps);
  stop.throwIfAborted();

  const demo = await provideDemoTenant({
    databaseUrl: postgres.url,
    isOurs: postgres.own !== undefined,
    file: credentialsFile(directory, config.databaseUrl),
  });
  stop.throwIfAborted();

  const mail = await startMailCatcher({ ...port('smtpPort', ports.smtp), ...port('httpPort', ports.mail) });
  stops.add('the mail catcher', mail.stop);
  const receiverSecrets = await receiverSecretsIn(directory);
  let apiUrl: string | undefined;
  const receiver = await startReceiver({
    ...port('port', ports.receiver),
    secretKeys: [demo.webhookSecret, ...receiverSecrets.known],
    onSecretKey: receiverSecrets.add,
    publicKeysUrl: async () => apiUrl && publicKeysUrl(apiUrl, demo.credentials.integrator),
  });
  stops.add('the receiver', receiver.stop);

  const operatorToken = config.operatorToken ?? (await operatorTokenIn(directory));
  const appEnv = appEnvironment(env, {
    operatorToken,
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    // In a shared Redis, no other program may mistake our jobs for its own.
    redisPrefix: config.redisPrefix ?? (redis.own ? 'callout' : await redisPrefixIn(directory)),
    secretKeys: config.secretKeys ?? (await keyRingIn(directory)),
    smtpUrl: config.smtpUrl ?? mail.smtpUrl,
  });
  report('Starting API and worker ...');
  const logFiles = { api: directory.file('api.log'), worker: directory.file('worker.log') };
  await Promise.all(Object.values(logFiles).map(keepPreviousLog));
  const appDeps = { env: appEnv, config, stop, stops, isDevelopment: deps.isDevelopment };
  const chosen = await chooseApiPorts(config, ports);
  // Mails are written by the worker, and name addresses of the API.
  const named = {
    PUBLIC_URL: appEnv['PUBLIC_URL']?.trim() || `http://${LOOPBACK}:${chosen.api}`,
    CALLOUT_OPERATOR_URL: appEnv['CALLOUT_OPERATOR_URL']?.trim() || `http://${LOOPBACK}:${chosen.operator}`,
  };
  const [startingWorker, startingApi] = [
    await startWorker({
      ...appDeps,
      env: { ...appEnv, ...named },
      logFile: logFiles.worker,
      preferredPort: ports.worker,
    }),
    await startApi({
      ...appDeps,
      logFile: logFiles.api,
      preferredPort: chosen.api,
      preferredOperatorPort: chosen.operator,
    }),
  ];
  const api = await startingApi.ready();
  apiUrl = api.url;
  const worker = await startingWorker.ready();
  const operatorOrigin = `http://${LOOPBACK}:${api.operatorPort}`;
  const origin = new URL(api.url).origin;

  return {
    api: api.url,
    worker: `http://${LOOPBACK}:${worker.port}`,
    operator: { url: `${operatorOrigin}/operator/v1`, token: operatorToken },
    console: await consoleLinks({ origin, operatorOrigin, operatorToken, demo }),
    receiver,
    mail,
    postgres,
    redis,
    demo,
    logFiles: Object.values(logFiles),
    ports: {
      api: api.port,
      worker: worker.port,
      operator: api.operatorPort,
      receiver: receiver.port,
      mail: portOf(mail.url),
      smtp: portOf(mail.smtpUrl),
      ...port('postgres', postgres.own?.port),
      ...port('redis', redis.own?.port),
    },
    failed: firstFailure([
      api.ended,
      worker.ended,
      endOf('PostgreSQL', postgres, path.join(postgres.own?.place ?? directory.file('postgres'), 'postgres.log')),
      endOf('Redis', redis, path.join(directory.file('redis'), 'redis.log')),
    ]),
  };
}

/** Both at once; when one does not start, the other is stopped like everything else. */
async function startServers({ config, directory, ports, stops }: ServicesDeps): Promise<[Server, Server]> {
  const [postgres, redis] = await Promise.allSettled([
    providePostgres(config.databaseUrl, directory, ports),
    provideRedis(config.redisUrl, directory, ports),
  ]);
  if (postgres.status === 'fulfilled' && postgres.value.own) {
    const { place, stop } = postgres.value.own;
    if (directory.isTemporary && place !== undefined) {
      stops.add('the files of PostgreSQL', () => rm(place, { recursive: true, force: true }));
    }
    stops.add('PostgreSQL', stop);
  }
  if (redis.status === 'fulfilled' && redis.value.own) stops.add('Redis', redis.value.own.stop);
  if (postgres.status === 'rejected') throw postgres.reason;
  if (redis.status === 'rejected') throw redis.reason;
  return [postgres.value, redis.value];
}

/** The log of the previous run may be the log that the user needs. */
async function keepPreviousLog(file: string): Promise<void> {
  const previous = file.replace(/\.log$/, '.previous.log');
  await rm(previous, { force: true });
  try {
    await rename(file, previous);
  } catch (error) {
    // There was no run before.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function endOf(name: string, { own: server }: Server, logFile: string): Promise<string> {
  if (!server) return new Promise<never>(() => undefined);
  return server.ended.then(async () => `${name} ended by itself. The end of ${logFile}:\n${await logTail(logFile)}`);
}

function firstFailure(ends: readonly Promise<string>[]): Promise<never> {
  const failed = Promise.race(ends).then((how): never => {
    throw new CannotGoOn(how);
  });
  // Once everything is being stopped there is no listener any more, and all of them end.
  failed.catch(() => undefined);
  return failed;
}

function port<Key extends string>(key: Key, value: number | undefined): Partial<Record<Key, number>> {
  return value === undefined ? {} : ({ [key]: value } as Record<Key, number>);
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
