import { randomUUID } from 'node:crypto';
import { parseCatalogue } from '@callout/domain/catalogue/parse-catalogue';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import type { MailContext } from '@callout/pipeline/notify/write/mail-context.rules';
import { type Database, openDatabase } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { type Notification, storeNotifications } from '@callout/pipeline/notify/store/notifications';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { type Paces, usualPaces } from '@callout/pipeline/paces';
import { createProducer } from '@callout/queue/producer';
import { readCatalogueFiles } from '@callout/runtime/config/catalogue-files';
import { parseConfig } from '@callout/runtime/config/parse';
import { workerConfig } from '@callout/runtime/config/worker';
import { createLogger, type Logger } from '@callout/runtime/log/logger';
import type { StopStep } from '@callout/runtime/process/lifecycle';
import { createTestDatabase, startScriptedMailServer, testRedis, type ScriptedMailServer } from '@callout/testing';
import { testMetrics } from '../fixtures/test-metrics.ts';
import { startNotify } from '@callout/pipeline/notify/start';

export interface MailRow {
  recipient: string;
  state: string;
  attempts: number;
  lastError: string | null;
  isLeased: boolean;
  /** Seconds until it is due. */
  waitS: number;
}

export interface StartedWorker {
  /** The steps that stop it; none when the role has nothing to do. */
  steps: readonly StopStep[];
  stop: () => Promise<void>;
}

export interface NotifySetup {
  database: Database;
  mailContext: MailContext;
  redis: { url: string; prefix: string };
  /** The log of the workers. */
  log: Logger;
  lines: () => string;
  /** Before each test: makes a tenant with a webhook, and a mail server. */
  begin: () => Promise<void>;
  /** After each test: stops everything. */
  end: () => Promise<void>;
  /** Registers a step for the end of the test. */
  atEnd: (stop: () => Promise<unknown>) => void;
  close: () => Promise<void>;
  server: () => ScriptedMailServer;
  /** Stops it, and starts another one in its place. */
  replaceServer: (options?: Parameters<typeof startScriptedMailServer>[0]) => Promise<void>;
  /** Starts a worker with the role, as a process does. */
  startWorker: (env?: Record<string, string>, paces?: Partial<Paces>) => StartedWorker;
  /** Stores notifications of the webhook, whose owner is `owner@example.com`. */
  aNotification: (kind?: 'error' | 'deactivated') => Notification;
  store: (...notifications: Notification[]) => Promise<void>;
  rename: (name: string) => Promise<void>;
  addAddress: (address: string) => Promise<void>;
  /** By recipient. */
  rows: () => Promise<MailRow[]>;
  /** Recipient, state and attempts of each mail. */
  states: () => Promise<[string, string, number][]>;
  makeDue: () => Promise<void>;
  /** Ends the leases of all mails, as if their workers had been away for too long. */
  endLeases: () => Promise<void>;
  /** Makes all mail this old. */
  age: (interval: string) => Promise<void>;
  /** Subjects of the mails that have arrived. */
  messageIds: () => string[];
}

/** A database, mail servers and workers with the role notify. */
export async function createNotifySetup(): Promise<NotifySetup> {
  const testDatabase = await createTestDatabase();
  const options = { poolSize: 10, applicationName: 'test', onError: () => undefined };
  const database = openDatabase({ url: testDatabase.url, ...options });
  const { pool } = database;
  const redis = await testRedis();
  const catalogue = parseCatalogue(await readCatalogueFiles(ownCatalogueDir, ownCatalogueDir));
  const stops: (() => Promise<unknown>)[] = [];
  let lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ service: 'test', level: 'debug', destination });
  let server: ScriptedMailServer;
  let tenantId: number;
  let webhookKey: number;

  async function rows(): Promise<MailRow[]> {
    const { rows: found } = await pool.query<MailRow>(
      `SELECT recipient, state, attempts, last_error AS "lastError", lease_owner IS NOT NULL AS "isLeased",
         extract(epoch FROM due_at - now())::float AS "waitS"
       FROM notifications WHERE webhook_key = $1 ORDER BY recipient`,
      [webhookKey],
    );
    return found;
  }

  return {
    database,
    mailContext: {
      catalogue,
      consoleUrl: undefined,
      confirmationKeys: [],
      hasConsole: false,
      operatorConsole: undefined,
      publicUrl: undefined,
      apiRoot: 'atservicesrest',
    },
    redis,
    log,
    lines: () => lines.join(''),
    rows,
    async begin() {
      lines = [];
      tenantId = await insertTenant(pool);
      await database.prisma.resource.create({ data: { tenantId, id: 1, email: 'owner@example.com' } });
      webhookKey = await insertWebhook(pool, tenantId, 1);
      server = await startScriptedMailServer();
    },
    async end() {
      for (const stop of stops.splice(0).toReversed()) await stop();
      await server.stop();
      // A worker claims every due mail, also those of another test.
      await pool.query('DELETE FROM notifications');
    },
    atEnd: (stop) => void stops.push(stop),
    async close() {
      await redis.cleanUp();
      await database.close();
      await testDatabase.drop();
    },
    server: () => server,
    async replaceServer(serverOptions) {
      const { port } = server;
      await server.stop();
      server = await startScriptedMailServer({ port, ...serverOptions });
    },
    startWorker(env = {}, paces = {}) {
      const config = parseConfig(workerConfig, {
        DATABASE_URL: testDatabase.url,
        REDIS_URL: redis.url,
        REDIS_PREFIX: redis.prefix,
        SECRET_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
        SMTP_URL: `smtp://127.0.0.1:${server.port}`,
        MAIL_FROM: 'Callout <callout@example.com>',
        MAIL_GATHER: '0',
        ...env,
      });
      const redisOptions = { url: config.REDIS_URL, prefix: config.REDIS_PREFIX, onError: () => undefined };
      const producer = createProducer(redisOptions);
      const steps = startNotify({
        config,
        paces: { ...usualPaces, sweepEveryMs: 50, ...paces },
        catalogue,
        pool,
        producer,
        redis: redisOptions,
        clock: { aheadMs: () => 0, isRight: () => true, problems: () => [] },
        log,
        metrics: testMetrics(),
      });
      let stopping: Promise<void> | undefined;
      const stop = () => (stopping ??= stopAll([...steps, { name: 'the producer', stop: () => producer.close() }]));
      stops.push(stop);
      return { steps, stop };
    },
    aNotification(kind = 'deactivated') {
      const about = { tenantId, webhookKey, occasion: randomUUID() };
      const lastFailure = 'answered 500';
      if (kind === 'deactivated') {
        const facts = { at: new Date(), failedInRow: 25, openCallouts: 3, lastFailure } as const;
        return { ...about, kind, content: { cause: 'repeatedFailure', ...facts } };
      }
      const counts = {
        calloutId: randomUUID(),
        sequenceNumber: 1,
        recordId: 1,
        attempts: 9,
        failedInRow: 1,
        deactivateAfter: 25,
      };
      return { ...about, kind, content: { ...counts, lastFailure, failingSince: null, eventTime: null } };
    },
    async store(...notifications) {
      await inTransaction(pool, (transaction) => storeNotifications(transaction, notifications));
    },
    async rename(name) {
      await pool.query('UPDATE webhooks SET name = $2 WHERE key = $1', [webhookKey, name]);
    },
    async addAddress(address) {
      await pool.query('UPDATE webhooks SET notification_email_address = $2 WHERE key = $1', [webhookKey, address]);
    },
    states: async () => (await rows()).map(({ recipient, state, attempts }) => [recipient, state, attempts]),
    async makeDue() {
      await pool.query("UPDATE notifications SET due_at = now() WHERE state = 'waiting'");
    },
    async endLeases() {
      await pool.query('UPDATE notifications SET lease_until = now() WHERE lease_until IS NOT NULL');
    },
    async age(interval) {
      await pool.query('UPDATE notifications SET created_at = now() - $1::interval', [interval]);
    },
    messageIds: () => server.mails().map(({ messageId }) => messageId),
  };
}

async function stopAll(steps: readonly StopStep[]): Promise<void> {
  for (const step of steps) await step.stop();
}
