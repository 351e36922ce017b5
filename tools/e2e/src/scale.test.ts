import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type MailCatcher, startMailCatcher } from '@callout/local/mail';
import { createDisposableDatabase } from '@callout/local/test-run';
import {
  type AppProcess,
  callApi,
  eventually,
  everyCompanyEvent,
  prepareCallout,
  type ReceivedRequest,
  registerWebhook,
  type CalloutSetup,
  type Settings,
  type TenantUnderTest,
  testRedis,
} from '@callout/testing';

const RECORDS = 10;
const PATHS = ['/a', '/b', '/c'];
/** Enough for two hundred callouts, however fast the first worker is. */
const LEAST_ROUNDS = 6;
const PATIENCE_MS = 120_000;
/** Few slots and slow responses, so that one worker cannot do all the work. */
const SETTINGS = {
  ...{ LOG_LEVEL: 'debug', CALLOUTS_IN_FLIGHT: '5', DATABASE_POOL_SIZE: '3' },
  RETRY_SCHEDULE: '200ms',
};

const stops: (() => Promise<void>)[] = [];
let setup: CalloutSetup;
let mail: MailCatcher;
let apis: AppProcess[];
let workers: AppProcess[];
/** Of both APIs, which take turns. */
let ports: number[];

beforeAll(async () => {
  const empty = { name: 'empty', prepare: async () => undefined };
  const [{ url: databaseUrl, drop }, redis] = await Promise.all([createDisposableDatabase(empty), testRedis()]);
  stops.push(drop, redis.cleanUp);
  mail = await startMailCatcher();
  stops.push(() => mail.stop());
  setup = await prepareCallout({ databaseUrl, redisUrl: redis.url, redisPrefix: redis.prefix, settings: SETTINGS });
  stops.push(() => setup.stop());
  apis = [1, 2].map((nth) => setup.installation.start('api', `API ${nth}`));
  workers = [1, 2, 3].map((nth) => setup.installation.start('worker', `worker ${nth}`));
  ports = await Promise.all(apis.map((api) => api.ready()));
});
afterAll(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

describe('two APIs and three workers, started at once on an empty database', () => {
  it('all come up; one of them has made the tables', async () => {
    const all = [...apis, ...workers];
    for (const port of await Promise.all(all.map((one) => one.ready()))) {
      await eventually(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200);
    }
    expect(all.map((one) => countIn(one, 'migrations applied')).reduce((sum, lines) => sum + lines)).toBe(1);
    expect(all.flatMap((one) => one.log().filter(({ level }) => level === 'error'))).toEqual([]);
  });

  it('share the work: each worker does some, nothing is lost or sent twice, each record keeps its order', async () => {
    const did = () => workers.map((worker) => countIn(worker, 'attempt') > 0);
    const tenant = await setup.tenant();
    for (const path of PATHS) {
      setup.receiver.script(path, { status: 200, delayMs: 15 });
      await register(tenant, path);
    }
    const rounds = await changeUntil(tenant, () => !did().includes(false));
    await allDone();
    for (const path of PATHS) mustHaveCome(setup.receiver.requests(path), rounds);
    expect(did()).not.toContain(false);
    await stop(workers);
  });
});

describe('the work is divided', () => {
  it('among workers of one role each', async () => {
    const roles = [{ WORKER_ROLES: 'match' }, { WORKER_ROLES: 'deliver' }];
    const mailing = {
      WORKER_ROLES: 'notify',
      SMTP_URL: mail.smtpUrl,
      MAIL_FROM: 'callout@example.com',
      MAIL_GATHER: '0',
    };
    const divided = await start([...roles, mailing, { WORKER_ROLES: 'sweep' }]);
    const [match, deliver, notify, sweep] = divided as [AppProcess, AppProcess, AppProcess, AppProcess];
    const tenant = await setup.tenant();
    // Every callout fails once: only the sweep finds the retries.
    const path = '/again';
    const failed = new Set<string>();
    setup.receiver.script(path, ({ headers }) => {
      const id = String(headers['webhook-id']);
      const isNew = !failed.has(id);
      failed.add(id);
      // No failure that means a receiver is down: that would pause it.
      return { status: isNew ? 400 : 200, delayMs: 15 };
    });
    await register(tenant, path);
    // And here one fails permanently, which is mailed.
    setup.receiver.script('/never', { status: 400 });
    await registerWebhook(ports[0] ?? 0, tenant.integrator, { ...everyContact, url: setup.receiver.url('/never') });
    await postEvents(tenant, [{ entityType: 'Contact', action: 'Create', id: 1, fields: { lastName: 'Moss' } }]);

    const rounds = await changeUntil(tenant, () => countIn(deliver, 'attempt') > 0);
    await allDone();
    await eventually(() => mail.messages().some(({ subject }) => subject.includes('Callout - Error')));
    mustHaveCome(
      setup.receiver.requests(path).filter(({ headers }) => headers['x-hook-attempt'] === '2'),
      rounds,
    );
    expect(countIn(match, 'matched')).toBeGreaterThan(0);
    for (const worker of [deliver, notify, sweep]) expect(countIn(worker, 'matched')).toBe(0);
    for (const worker of [match, notify, sweep]) expect(countIn(worker, 'attempt')).toBe(0);
    await stop(divided);
  });
});

/** A contact's last name, as the catalogue numbers it. */
const LAST_NAME = 4;
const everyContact = {
  ...everyCompanyEvent,
  collection: 'ContactWebhooks',
  fields: [{ fieldID: LAST_NAME, isSubscribedField: true, isDisplayAlwaysField: true }],
};

const countIn = (worker: AppProcess, message: string) => worker.log().filter(({ msg }) => msg === message).length;

async function start(settings: readonly Settings[]): Promise<AppProcess[]> {
  const workers = settings.map((own, nth) => setup.installation.start('worker', `worker ${nth + 1}`, own));
  await Promise.all(workers.map((worker) => worker.ready()));
  return workers;
}

async function stop(workers: readonly AppProcess[]): Promise<void> {
  await Promise.all(workers.map((worker) => worker.signal('SIGTERM')));
  for (const worker of workers) expect(await worker.exit).toEqual({ code: 0, signal: null });
}

function register(tenant: TenantUnderTest, path: string): Promise<number> {
  return registerWebhook(ports[0] ?? 0, tenant.integrator, { ...everyCompanyEvent, url: setup.receiver.url(path) });
}

/** Changes all records again and again, until `isEnough`. @returns how often. */
async function changeUntil(tenant: TenantUnderTest, isEnough: () => boolean): Promise<number> {
  for (let round = 1, deadline = Date.now() + PATIENCE_MS; ; round += 1) {
    const events = Array.from({ length: RECORDS }, (_, nth) => ({
      entityType: 'Account',
      action: round === 1 ? 'Create' : 'Update',
      id: nth + 1,
      fields: { companyName: `name ${round}` },
    }));
    await postEvents(tenant, events);
    if ((round >= LEAST_ROUNDS && isEnough()) || Date.now() > deadline) {
      expect(isEnough()).toBe(true);
      return round;
    }
  }
}

async function postEvents(tenant: TenantUnderTest, events: readonly object[]): Promise<void> {
  const [port = 0] = ports;
  ports.reverse();
  const reply = await callApi(port, tenant.source, { method: 'POST', path: '/EntityEvents', body: { events } });
  expect(reply).toMatchObject({ kind: 'answered', status: 202 });
}

async function allDone(): Promise<void> {
  const { openCallout, pendingEvent } = setup.database.prisma;
  // In this order: an event that is not pending any more has its callouts, and one that was counted is not missed.
  await eventually(async () => (await pendingEvent.count()) + (await openCallout.count()) === 0);
}

/** The arrivals of a webhook: every change of every record, once, in the order of the record. */
function mustHaveCome(requests: readonly ReceivedRequest[], rounds: number): void {
  const bodies = requests.map(({ body }) => JSON.parse(body.toString()) as CalloutBody);
  const numbers = bodies.map(({ SequenceNumber }) => SequenceNumber).toSorted((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: rounds * RECORDS }, (_, nth) => nth + 1));
  for (let record = 1; record <= RECORDS; record += 1) {
    const names = bodies.filter(({ Id }) => Id === record).map(({ Fields }) => Fields['CompanyName']);
    expect(names).toEqual(Array.from({ length: rounds }, (_, nth) => `name ${nth + 1}`));
  }
}

interface CalloutBody {
  readonly Id: number;
  readonly SequenceNumber: number;
  readonly Fields: Readonly<Record<string, string>>;
}
