import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
  type TenantUnderTest,
  testRedis,
} from '@callout/testing';

const PER_SECOND = 20;
const CALLOUTS = 60;
const AT_ONCE = 3;
const CALL_MS = 100;
const SETTINGS = { CALLOUT_TIMEOUT_MS: '3000' };

const stops: (() => Promise<void>)[] = [];
let setup: CalloutSetup;
let tenant: TenantUnderTest;
let port: number;
const workers: AppProcess[] = [];

beforeAll(async () => {
  const empty = { name: 'empty', prepare: async () => undefined };
  const [{ url: databaseUrl, drop }, redis] = await Promise.all([createDisposableDatabase(empty), testRedis()]);
  stops.push(drop, redis.cleanUp);
  setup = await prepareCallout({ databaseUrl, redisUrl: redis.url, redisPrefix: redis.prefix, settings: SETTINGS });
  stops.push(() => setup.stop());
  port = await setup.installation.start('api', 'API').ready();
  tenant = await setup.tenant();
});
afterAll(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

describe.each([1, 3, 8])('with %i workers', (count) => {
  beforeAll(async () => {
    while (workers.length < count) workers.push(setup.installation.start('worker', `worker ${workers.length + 1}`));
    await Promise.all(workers.map((worker) => worker.ready()));
  });

  it('a webhook gets all its calls and never more than its rate allows, beside one without limits', async () => {
    const limited = await aWebhook(`/rate-${count}`, { maxCallsPerSecond: PER_SECOND });
    const free = await aWebhook(`/free-${count}`);
    await change(CALLOUTS);
    await allDone();
    expect(limited.ids().size).toBe(CALLOUTS);
    expect(free.ids().size).toBe(CALLOUTS);
    mustKeepRate(limited.received());
    await limited.remove();
    await free.remove();
  });

  it('a webhook never has more calls under way than it allows', async () => {
    const webhook = await aWebhook(`/places-${count}`, { maxConcurrentCalls: AT_ONCE });
    await change(CALLOUTS / 2);
    await allDone();
    expect(webhook.ids().size).toBe(CALLOUTS / 2);
    expect(webhook.mostAtOnce()).toBeLessThanOrEqual(AT_ONCE);
    await webhook.remove();
  });
});

describe('when workers die', () => {
  it('others go on, at the same rate and with no more calls at once', async () => {
    const limits = { maxCallsPerSecond: PER_SECOND, maxConcurrentCalls: AT_ONCE };
    const webhook = await aWebhook('/killed', limits);
    await change(CALLOUTS);
    // Whichever has begun the last call and knows when the next one may begin is among them.
    for (const [nth, worker] of workers.splice(0, workers.length - 1).entries()) {
      await eventually(() => webhook.received().length > nth);
      await worker.signal('SIGKILL');
    }
    await allDone();
    expect(webhook.ids().size).toBe(CALLOUTS);
    mustKeepRate(webhook.received());
    expect(webhook.mostAtOnce()).toBeLessThanOrEqual(AT_ONCE);
  });
});

/** A webhook that gets every change of a company, and what its receiver has got. */
async function aWebhook(path: string, limits: Readonly<Record<string, number>> = {}) {
  let atOnce = 0;
  let most = 0;
  setup.receiver.script(path, () => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    // Before the answer, so that no call is counted that the worker may know to be over.
    setTimeout(() => (atOnce -= 1), CALL_MS / 2);
    return { status: 200, delayMs: CALL_MS };
  });
  const id = await registerWebhook(port, tenant.integrator, {
    ...everyCompanyEvent,
    url: setup.receiver.url(path),
    others: limits,
  });
  return {
    received: () => setup.receiver.requests(path),
    /** On a busy machine a call may take too long, and is made again. */
    ids: () => new Set(setup.receiver.requests(path).map(({ headers }) => headers['webhook-id'])),
    mostAtOnce: () => most,
    remove: () => callApi(port, tenant.integrator, { method: 'DELETE', path: `/CompanyWebhooks/${id}` }),
  };
}

/** Changes that many companies. */
async function change(count: number): Promise<void> {
  const name = `changed ${Date.now()}`;
  const events = Array.from({ length: count }, (_, nth) => ({
    entityType: 'Account',
    action: 'Update',
    id: nth + 1,
    fields: { companyName: name },
  }));
  const reply = await callApi(port, tenant.source, { method: 'POST', path: '/EntityEvents', body: { events } });
  expect(reply).toMatchObject({ kind: 'answered', status: 202 });
}

async function allDone(): Promise<void> {
  const { openCallout, pendingEvent } = setup.database.prisma;
  await eventually(async () => (await pendingEvent.count()) + (await openCallout.count()) === 0);
}

/** In no time more calls arrive than its rate, and a burst of one second. */
function mustKeepRate(received: readonly ReceivedRequest[]): void {
  const times = received.map(({ receivedAt }) => receivedAt.getTime()).toSorted((a, b) => a - b);
  for (const [first, from] of times.entries()) {
    for (const [last, to] of times.slice(first).entries()) {
      const allowed = PER_SECOND * ((to - from) / 1_000) + PER_SECOND;
      expect(last + 1).toBeLessThanOrEqual(allowed + 1);
    }
  }
}
