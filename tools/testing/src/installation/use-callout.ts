import type { Database } from '@callout/database/connection/database';
import { forThisFile } from '../for-this-file.ts';
import { callApi } from '../rest/api-client.ts';
import { everyCompanyEvent, registerWebhook, type NewWebhook } from '../rest/register-webhook.ts';
import type { TenantUnderTest } from '../rest/tenant.ts';
import type { ReceivedRequest, Script } from '../servers/scripted-receiver.ts';
import { createTestDatabase } from '../servers/test-database.ts';
import { testRedis } from '../servers/test-redis.ts';
import type { AppProcess } from './app-process.ts';
import type { Settings } from './installation.ts';
import { prepareCallout } from './prepare-callout.ts';

/** A webhook and its own receiver. */
export interface WebhookUnderTest {
  readonly id: number;
  /** Where its receiver listens. */
  readonly url: string;
  /** Callouts that arrived, oldest first. */
  requests(): readonly ReceivedRequest[];
  /** Sets the response of the receiver; 200 by default. */
  answer(script: Script): void;
}

/** API and worker as an operator runs them, for the tests of a file. */
export interface CalloutUnderTest {
  /** The stored rows. */
  readonly database: Database;
  /** Where the API listens, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** The address of the worker's `/readyz` and `/metrics`. */
  readonly workerUrl: string;
  /** Of the Redis of all processes. */
  readonly redisUrl: string;
  /** Where the operator API listens; only with OPERATOR_TOKEN and OPERATOR_PORT among the settings. */
  operatorUrl(): string;
  /** Makes a tenant without limits. */
  tenant(): Promise<TenantUnderTest>;
  /** Registers a webhook, active and on all events of companies, with a path of the receiver to itself. */
  webhook(tenant: TenantUnderTest, change?: Partial<Omit<NewWebhook, 'url'>>): Promise<WebhookUnderTest>;
  /** Sends events as the product does. @throws Error when they are not accepted. */
  send(tenant: TenantUnderTest, ...events: readonly Record<string, unknown>[]): Promise<void>;
  /** Starts one more worker, with settings of its own. */
  worker(settings?: Settings): Promise<AppProcess>;
  /** Starts one more API, with settings of its own. @returns where it listens. */
  api(settings: Settings): Promise<string>;
  /** Starts one more API, to be stopped by the test. */
  apiProcess(settings?: Settings): Promise<AppProcess>;
}

/**
 * Starts an API and a worker for the tests of a file, over a database and a queue of their own, and a receiver.
 * @param settings as in docs/configuration.md, of all processes; a function where they depend on another hook.
 */
export function useCallout(settings: Settings | (() => Settings) = {}): CalloutUnderTest {
  return forThisFile(
    async () => startCallout(typeof settings === 'function' ? settings() : settings),
    (callout) => callout.stop(),
  );
}

async function startCallout(settings: Settings): Promise<CalloutUnderTest & { stop: () => Promise<void> }> {
  const [database, redis] = await Promise.all([createTestDatabase(), testRedis()]);
  const setup = await prepareCallout({
    databaseUrl: database.url,
    redisUrl: redis.url,
    redisPrefix: redis.prefix,
    settings,
  });
  async function stop(): Promise<void> {
    await setup.stop();
    await Promise.all([redis.cleanUp(), database.drop()]);
  }
  let workers = 0;
  async function worker(own?: Settings): Promise<AppProcess> {
    workers += 1;
    const started = setup.installation.start('worker', `worker ${workers}`, own);
    await started.ready();
    return started;
  }
  async function anotherApi(own?: Settings): Promise<AppProcess> {
    const started = setup.installation.start('api', 'another API', own);
    await started.ready();
    return started;
  }
  try {
    const api = setup.installation.start('api', 'API');
    const [port, workerPort] = await Promise.all([api.ready(), worker().then((started) => started.ready())]);
    let webhooks = 0;
    return {
      database: setup.database,
      redisUrl: redis.url,
      url: `http://127.0.0.1:${port}`,
      workerUrl: `http://127.0.0.1:${workerPort}`,
      operatorUrl() {
        const listening = api.log().find(({ msg }) => msg === 'operator API is listening');
        if (listening === undefined) throw new Error('there is no operator API: set OPERATOR_TOKEN');
        return `http://127.0.0.1:${String(listening['port'])}`;
      },
      tenant: () => setup.tenant(),
      async webhook({ integrator }, change) {
        webhooks += 1;
        const path = `/webhook-${webhooks}`;
        const url = setup.receiver.url(path);
        const id = await registerWebhook(port, integrator, {
          ...everyCompanyEvent,
          url,
          ...change,
        });
        return {
          id,
          url,
          requests: () => setup.receiver.requests(path),
          answer: (script) => setup.receiver.script(path, script),
        };
      },
      async send({ source }, ...events) {
        const reply = await callApi(port, source, { method: 'POST', path: '/EntityEvents', body: { events } });
        const isAccepted = reply.kind === 'answered' && reply.status === 202;
        if (!isAccepted) throw new Error(`not accepted: ${JSON.stringify(reply)}`);
      },
      worker,
      async api(own) {
        return `http://127.0.0.1:${await (await anotherApi(own)).ready()}`;
      },
      apiProcess: anotherApi,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
