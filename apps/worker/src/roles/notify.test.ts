import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { buildCatalogue, ownCatalogueDir, writeMail, type Catalogue } from '@callout/core';
import {
  claimDueMail,
  inTransaction,
  openDatabase,
  settleMail,
  storeNotices,
  type Database,
  type Notice,
} from '@callout/db';
import { insertTenant, insertWebhook } from '@callout/db/fixtures';
import { createProducer } from '@callout/queue';
import { createLogger, parseConfig, workerConfig, type StopStep } from '@callout/runtime';
import {
  createTestDatabase,
  eventually,
  startScriptedMailServer,
  testRedis,
  type ScriptedMailServer,
  type TestRedis,
} from '@callout/testing';
import { startNotify as startNotifier, type NotifyDeps } from '../notify.ts';
import { createMailer } from '../outbound/mail.ts';
import { startNotify } from './notify.ts';

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let catalogue: Catalogue;
let redis: TestRedis;
let server: ScriptedMailServer;
let webhookKey: number;
let tenantId: number;
let lines: string[];
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ url: testDatabase.url, poolSize: 10, applicationName: 'test', onError: () => undefined });
  redis = await testRedis();
  const files = await readdir(ownCatalogueDir);
  const texts = await Promise.all(files.map((file) => readFile(path.join(ownCatalogueDir, file), 'utf8')));
  catalogue = buildCatalogue(texts.map((text): unknown => JSON.parse(text)));
});

beforeEach(async () => {
  lines = [];
  tenantId = await insertTenant(database.pool);
  await database.prisma.resource.create({ data: { tenantId, id: 1, email: 'owner@example.com' } });
  webhookKey = await insertWebhook(database.pool, tenantId, 1);
  server = await startScriptedMailServer();
  stops.push(() => server.stop());
});

afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
  // A worker takes every mail that is due, also those of another test.
  await database.pool.query('DELETE FROM notifications');
});

afterAll(async () => {
  await redis.cleanUp();
  await database.close();
  await testDatabase.drop();
});

const log = createLogger({ service: 'test', level: 'debug', destination: { write: (line) => void lines.push(line) } });

interface Worker {
  stop: () => Promise<void>;
}

/** A worker with the role, as a process starts it. */
function startWorker(env: Record<string, string> = {}, steps?: StopStep[]): Worker {
  const config = parseConfig(workerConfig, {
    DATABASE_URL: testDatabase.url,
    REDIS_URL: redis.url,
    REDIS_PREFIX: redis.prefix,
    SECRET_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    MAIL_FROM: 'Callout <callout@example.com>',
    SWEEP_EVERY_MS: '50',
    ...env,
  });
  const { REDIS_URL: url, REDIS_PREFIX: prefix } = config;
  const onError = () => undefined;
  const producer = createProducer({ url, prefix, onError });
  const started = startNotify({
    config,
    catalogue,
    pool: database.pool,
    producer,
    redis: { url, prefix, onError },
    log,
  });
  steps?.push(...started);
  let isStopped = false;
  async function stop(): Promise<void> {
    if (isStopped) return;
    isStopped = true;
    for (const step of started) await step.stop();
    await producer.close();
  }
  stops.push(stop);
  return { stop };
}

function aNotice(kind: 'error' | 'deactivated' = 'deactivated', key = webhookKey): Notice {
  const about = { tenantId, webhookKey: key, occasion: randomUUID() };
  const lastFailure = 'answered 500';
  if (kind === 'deactivated') {
    const facts = { at: new Date(), failedInRow: 25, cancelledCallouts: 3, lastFailure } as const;
    return { ...about, kind, content: { cause: 'repeatedFailure', ...facts } };
  }
  const counts = { sequenceNumber: 1, recordId: 1, attempts: 9, failedInRow: 1, deactivateAfter: 25 };
  return { ...about, kind, content: { ...counts, lastFailure, failingSince: null, eventTime: null } };
}

async function store(...notices: Notice[]): Promise<void> {
  await inTransaction(database.pool, (transaction) => storeNotices(transaction, notices));
}

async function addAddress(address: string): Promise<void> {
  await database.pool.query('UPDATE webhooks SET notification_email_address = $2 WHERE key = $1', [
    webhookKey,
    address,
  ]);
}

interface MailRow {
  recipient: string;
  state: string;
  attempts: number;
  lastError: string | null;
  isLeased: boolean;
  waitS: number;
}

/** By recipient. */
async function rows(): Promise<MailRow[]> {
  const { rows: found } = await database.pool.query<MailRow>(
    `SELECT recipient, state, attempts, last_error AS "lastError", lease_owner IS NOT NULL AS "isLeased",
       extract(epoch FROM due_at - now())::float AS "waitS"
     FROM notifications WHERE webhook_key = $1 ORDER BY recipient`,
    [webhookKey],
  );
  return found;
}

const states = async () => (await rows()).map(({ recipient, state, attempts }) => [recipient, state, attempts]);
const makeDue = () => database.pool.query("UPDATE notifications SET due_at = now() WHERE state = 'waiting'");
const age = (interval: string) =>
  database.pool.query('UPDATE notifications SET created_at = now() - $1::interval', [interval]);
const messageIds = () => server.mails().map(({ messageId }) => messageId);

describe('the role notify', () => {
  it('sends a mail to each who is to get it, once', async () => {
    await addAddress('ops@example.com');
    await store(aNotice());
    startWorker();
    await eventually(async () =>
      expect(await states()).toEqual([
        ['ops@example.com', 'sent', 1],
        ['owner@example.com', 'sent', 1],
      ]),
    );
    const arrived = server.mails().map(({ recipients, to, subject }) => ({ recipients, to, subject }));
    const mailTo = (address: string) => ({
      recipients: [address],
      to: [address],
      subject: 'Callout - Deactivated: test',
    });
    expect(arrived).toHaveLength(2);
    expect(arrived).toEqual(expect.arrayContaining([mailTo('ops@example.com'), mailTo('owner@example.com')]));
    expect(new Set(messageIds()).size).toBe(2);
  });

  it('sends one mail for 10,000 failures', async () => {
    startWorker();
    for (let round = 0; round < 20; round++) {
      await store(...Array.from({ length: 500 }, () => aNotice('error')));
    }
    // What is stored later goes out later.
    await store(aNotice());
    await eventually(() => server.mails().some(({ subject }) => subject.includes('Deactivated')));
    expect(
      server
        .mails()
        .map(({ subject }) => subject)
        .toSorted(),
    ).toEqual(['Callout - Deactivated: test', 'Callout - Error: test']);
  });

  it('shows a hostile name as one clean subject and an escaped body', async () => {
    const name = '<b>=?utf-8?q?=41?=\r\nBcc: x@example.com \u202E🚨';
    await database.pool.query('UPDATE webhooks SET name = $2 WHERE key = $1', [webhookKey, name]);
    await store(aNotice());
    startWorker();
    await eventually(() => expect(server.mails()).toHaveLength(1));
    const [mail] = server.mails();
    expect(mail?.subject).toBe('Callout - Deactivated: <b>=?utf-8?q?=41?=Bcc: x@example.com 🚨');
    expect(mail?.recipients).toEqual(['owner@example.com']);
    expect(mail?.html).toContain('&lt;b&gt;=?utf-8?q?=41?=Bcc: x@example.com 🚨');
    expect(mail?.html).not.toContain('<b>');
  });

  it('gives up a recipient refused for good, and the other gets the mail', async () => {
    await addAddress('gone@example.com');
    server.script('gone@example.com', { to: 'recipient', code: 550, text: '5.1.1 who is that' });
    await store(aNotice());
    startWorker();
    await eventually(async () =>
      expect(await rows()).toEqual([
        expect.objectContaining({
          recipient: 'gone@example.com',
          state: 'refused',
          lastError: expect.stringContaining('550 5.1.1 who is that'),
          isLeased: false,
        }),
        expect.objectContaining({ recipient: 'owner@example.com', state: 'sent', lastError: null, isLeased: false }),
      ]),
    );
    expect(server.offers('gone@example.com')).toBe(1);
  });

  it('tries again what is refused for now, after growing waits, and sends it once', async () => {
    server.script('owner@example.com', (nth) =>
      nth <= 2 ? { to: 'recipient', code: 451, text: 'come back later' } : 'take',
    );
    await store(aNotice());
    startWorker();
    const waits: number[] = [];
    for (const attempts of [1, 2]) {
      await eventually(async () => expect(await states()).toEqual([['owner@example.com', 'waiting', attempts]]));
      waits.push((await rows())[0]?.waitS ?? 0);
      await makeDue();
    }
    await eventually(async () => expect(await states()).toEqual([['owner@example.com', 'sent', 3]]));
    expect(server.mails()).toHaveLength(1);
    const [first = 0, second = 0] = waits;
    expect(first).toBeGreaterThan(15);
    expect(first).toBeLessThan(37);
    expect(second).toBeGreaterThan(40);
  });

  it('waits for a server that is away, and then the mail arrives once', async () => {
    await server.stop();
    await store(aNotice());
    startWorker();
    await eventually(async () => expect(await states()).toEqual([['owner@example.com', 'waiting', 1]]));
    await age('1 hour');
    server = await startScriptedMailServer({ port: server.port });
    await makeDue();
    await eventually(async () => expect(await states()).toEqual([['owner@example.com', 'sent', 2]]));
    expect(server.mails()).toHaveLength(1);
  });

  it('tries again what a slow server did not take in time', async () => {
    server.script('owner@example.com', (nth) => (nth === 1 ? 'hang' : 'take'));
    await store(aNotice());
    startWorker({ SMTP_TIMEOUT_MS: '300' });
    await eventually(async () => expect(await states()).toEqual([['owner@example.com', 'waiting', 1]]));
    expect((await rows())[0]?.lastError).toBe('it took longer than 300 ms');
    await makeDue();
    await eventually(async () => expect(await states()).toEqual([['owner@example.com', 'sent', 2]]));
    // The server may have delivered both: whoever gets them sees that they are one.
    expect(new Set(messageIds()).size).toBe(1);
  });

  it('gives up after 7 days, and not before', async () => {
    server.script('owner@example.com', { to: 'recipient', code: 450, text: 'never' });
    await store(aNotice());
    await age('6 days 23 hours');
    startWorker();
    await eventually(async () => expect(await states()).toEqual([['owner@example.com', 'waiting', 1]]));
    await age('7 days');
    await makeDue();
    await eventually(async () => expect(await states()).toEqual([['owner@example.com', 'givenUp', 2]]));
    expect((await rows())[0]?.lastError).toContain('450 never');
  });

  it('is held up by no mail that hangs, also when it stops', async () => {
    server.script('slow@example.com', 'hang');
    await addAddress('slow@example.com');
    await store(...Array.from({ length: 3 }, () => aNotice()));
    const worker = startWorker();
    const mailsOf = async (name: string) => (await rows()).filter(({ recipient }) => recipient.startsWith(name));
    const three = (fields: Partial<MailRow>) => Array.from({ length: 3 }, () => expect.objectContaining(fields));
    await eventually(async () => expect(await mailsOf('owner')).toEqual(three({ state: 'sent' })));
    expect(await mailsOf('slow')).toEqual(three({ state: 'waiting', isLeased: true }));
    await worker.stop();
    expect(await mailsOf('slow')).toEqual(three({ state: 'waiting', isLeased: false, attempts: 1 }));
  });

  it('sends each mail once, however many workers there are', async () => {
    const notices = Array.from({ length: 40 }, () => aNotice());
    await store(...notices);
    for (let worker = 0; worker < 3; worker++) startWorker();
    await eventually(async () => expect(new Set((await rows()).map(({ state }) => state))).toEqual(new Set(['sent'])));
    expect(new Set(messageIds()).size).toBe(40);
    expect(server.mails()).toHaveLength(40);
  });

  it('is woken by a job', async () => {
    startWorker({ SWEEP_EVERY_MS: '60000' });
    const producer = createProducer({ url: redis.url, prefix: redis.prefix, onError: () => undefined });
    stops.push(() => producer.close());
    await eventually(() => producer.isReady());
    await store(aNotice());
    await eventually(() => {
      producer.wake('notify', {});
      expect(server.mails()).toHaveLength(1);
    });
  });

  it('needs no Redis', async () => {
    await store(aNotice());
    startWorker({ REDIS_URL: 'redis://127.0.0.1:1' });
    await eventually(() => expect(server.mails()).toHaveLength(1));
  });

  it('says once that there is no mail server, and leaves the mail to wait', async () => {
    await store(aNotice());
    const steps: StopStep[] = [];
    startWorker({ SMTP_URL: '', MAIL_FROM: '' }, steps);
    expect(steps).toEqual([]);
    expect(lines.filter((line) => line.includes('SMTP_URL is not set'))).toHaveLength(1);
    expect(await states()).toEqual([['owner@example.com', 'waiting', 0]]);
  });

  it('stops when what is in hand is out, and takes no more', async () => {
    await store(aNotice());
    const worker = startWorker();
    await eventually(() => server.offers('owner@example.com') === 1);
    await worker.stop();
    expect(await states()).toEqual([['owner@example.com', 'sent', 1]]);
    await store(aNotice());
    expect((await rows()).map(({ state }) => state).toSorted()).toEqual(['sent', 'waiting']);
  });

  it('writes no address and no password into the log', async () => {
    await server.stop();
    const credentials = { user: 'callout', password: 'right' };
    server = await startScriptedMailServer({ credentials });
    await store(aNotice());
    startWorker({ SMTP_URL: `smtp://callout:hunter%2F2@127.0.0.1:${server.port}`, SMTP_TLS: 'off' });
    await eventually(async () => expect(await states()).toEqual([['owner@example.com', 'waiting', 1]]));
    const encoded = Buffer.from('\0callout\0hunter/2').toString('base64');
    expect(lines.join('')).toContain('535 no entry for callout with [redacted]');
    const { rows: stored } = await database.pool.query('SELECT * FROM notifications');
    for (const text of [lines.join(''), JSON.stringify(stored)]) {
      for (const secret of ['hunter/2', 'hunter%2F2', encoded]) expect(text).not.toContain(secret);
    }
    expect(lines.join('')).not.toContain('owner@example.com');
  });
});

describe('a worker that dies', () => {
  const leaseMs = 400;

  /** The parts of the role, so that one of them can break. */
  function startParts(changes: Partial<NotifyDeps> = {}): void {
    const mailer = createMailer({
      server: { host: '127.0.0.1', port: server.port, isTls: false, credentials: undefined },
      tls: 'auto',
      timeoutMs: 5_000,
      from: { name: '', address: 'callout@example.com' },
      replyTo: undefined,
    });
    const notify = startNotifier({
      claim: (limit) => claimDueMail(database.pool, limit, leaseMs),
      write: ({ kind, content }) => writeMail(kind, content, { catalogue, consoleUrl: undefined }),
      send: (mail) => mailer.send(mail),
      settle: (mail, verdict) => settleMail(database.pool, mail, verdict),
      maxInFlight: 5,
      everyMs: 50,
      random: () => 0.5,
      log,
      ...changes,
    });
    stops.push(() => notify.stop());
  }

  it('between sending and storing that: the mail goes out again, with the same Message-ID', async () => {
    await store(aNotice());
    let settles = 0;
    startParts({
      settle(mail, verdict) {
        settles += 1;
        if (settles === 1) throw new Error('the process was killed');
        return settleMail(database.pool, mail, verdict);
      },
    });
    await eventually(async () => expect(await states()).toEqual([['owner@example.com', 'sent', 1]]));
    expect(server.mails()).toHaveLength(2);
    expect(new Set(messageIds()).size).toBe(1);
  });

  it('and comes back after its lease has passed on: what the other stored counts', async () => {
    await store(aNotice());
    const [late] = await claimDueMail(database.pool, 5, 1);
    await eventually(async () => {
      const [taken] = await claimDueMail(database.pool, 5, 60_000);
      return taken !== undefined && (await settleMail(database.pool, taken, { state: 'sent' }));
    });
    expect(late && (await settleMail(database.pool, late, { state: 'refused', reason: 'late' }))).toBe(false);
    expect(await states()).toEqual([['owner@example.com', 'sent', 1]]);
  });

  it('over a mail that it cannot write: that one waits, the others go out', async () => {
    await addAddress('ops@example.com');
    await store(aNotice());
    await database.pool.query("UPDATE notifications SET content = '{}' WHERE recipient = 'ops@example.com'");
    startParts();
    await eventually(async () =>
      expect(await states()).toEqual([
        ['ops@example.com', 'waiting', 1],
        ['owner@example.com', 'sent', 1],
      ]),
    );
  });

  it('or whose database is away for a moment: due mail is looked for again', async () => {
    await store(aNotice());
    let claims = 0;
    startParts({
      async claim(limit) {
        claims += 1;
        if (claims < 3) throw new Error('the database is away');
        return claimDueMail(database.pool, limit, leaseMs);
      },
    });
    await eventually(() => expect(server.mails()).toHaveLength(1));
  });
});
