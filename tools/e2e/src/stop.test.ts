import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AppProcess,
  createCompanies,
  createTestDatabase,
  eventually,
  everyCompanyEvent,
  prepareCallout,
  registerWebhook,
  type CalloutSetup,
  type TenantUnderTest,
  testRedis,
} from '@callout/testing';

const IN_FLIGHT = 5;
const OWED = 40;
const PATH = '/slow';

let setup: CalloutSetup;
let tenant: TenantUnderTest;
let api: AppProcess;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const [{ url: databaseUrl, drop }, redis] = await Promise.all([createTestDatabase(), testRedis()]);
  stops.push(drop, redis.cleanUp);
  const settings = { CALLOUTS_IN_FLIGHT: String(IN_FLIGHT) };
  setup = await prepareCallout({ databaseUrl, redisUrl: redis.url, redisPrefix: redis.prefix, settings });
  stops.push(() => setup.stop());
  api = setup.installation.start('api', 'API');
  await api.ready();
  tenant = await setup.tenant();
});
afterAll(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

describe('SIGTERM', () => {
  it('lets a worker finish the calls it has begun, and another one goes on with the rest', async () => {
    const { installation, receiver, database } = setup;
    const { callout, openCallout, attempt } = database.prisma;
    receiver.script(PATH, { status: 200, delayMs: 1500 });
    const port = await api.ready();
    await registerWebhook(port, tenant.integrator, { ...everyCompanyEvent, url: receiver.url(PATH) });
    const first = installation.start('worker', 'first worker');
    await first.ready();
    await createCompanies(port, tenant.source, { first: 1, count: OWED });
    await eventually(() => receiver.count(PATH) >= IN_FLIGHT);

    await first.signal('SIGTERM');
    expect(await first.exit).toEqual({ code: 0, signal: null });
    // Every request that reached the receiver has a response, and its attempt is stored; all others are free for
    // anybody.
    const came = receiver.count(PATH);
    expect(came).toBeLessThan(OWED);
    expect(await attempt.count({ where: { status: 200 } })).toBe(came);
    expect(await callout.count({ where: { state: 'delivered' } })).toBe(came);
    expect(await openCallout.count({ where: { leaseOwner: null } })).toBe(OWED - came);
    expect(await openCallout.count()).toBe(OWED - came);

    receiver.script(PATH, { status: 200 });
    const second = installation.start('worker', 'second worker');
    await eventually(async () => (await openCallout.count()) === 0);
    expect(new Set(receiver.requests(PATH).map(({ headers }) => headers['webhook-id'])).size).toBe(OWED);
    expect(receiver.count(PATH)).toBe(OWED);
    await second.signal('SIGTERM');
    expect(await second.exit).toEqual({ code: 0, signal: null });
  });

  it('resets no request of busy keep-alive connections of the API: the last response on each says that it ends', async () => {
    const leaving = setup.installation.start('api', 'leaving API');
    const port = await leaving.ready();
    const { userName: UserName, secret: Secret, apiIntegrationCode: ApiIntegrationCode } = tenant.source;
    let answered = 0;
    /** Writes on one connection, one event after another, until the API announces that it closes it. */
    const writeUntilClosed = async (writer: number): Promise<number> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let count = 1; ; count += 1) {
        const events = [{ entityType: 'Contact', action: 'Create', id: writer * 1_000_000 + count }];
        const post = request(`http://127.0.0.1:${port}/atservicesrest/v1.0/EntityEvents`, {
          method: 'POST',
          agent,
          headers: { UserName, Secret, ApiIntegrationCode, 'Content-Type': 'application/json' },
        });
        post.end(JSON.stringify({ events }));
        const [answer] = (await once(post, 'response')) as [IncomingMessage];
        expect(answer.statusCode).toBe(202);
        await json(answer);
        answered += 1;
        if (answer.headers.connection === 'close') return count;
      }
    };
    const writers = Array.from({ length: 8 }, (_, index) => writeUntilClosed(index + 1));
    await eventually(() => answered > 100);
    const ended = leaving.signal('SIGTERM');
    const counts = await Promise.all(writers);
    await ended;
    expect(await leaving.exit).toEqual({ code: 0, signal: null });
    const stored = await setup.database.prisma.event.count({ where: { entityType: 'Contact' } });
    expect(stored).toBe(counts.reduce((sum, count) => sum + count));
  });

  it('lets the API finish the request it is reading, and accept no other', async () => {
    const port = await api.ready();
    const body = JSON.stringify({ events: [{ eventID: 'last', entityType: 'Contact', action: 'Create', id: 1 }] });
    const { userName: UserName, secret: Secret, apiIntegrationCode: ApiIntegrationCode } = tenant.source;
    const half = request(`http://127.0.0.1:${port}/atservicesrest/v1.0/EntityEvents`, {
      method: 'POST',
      headers: {
        UserName,
        Secret,
        ApiIntegrationCode,
        'Content-Type': 'application/json',
        'Content-Length': body.length,
      },
    });
    const answered = once(half, 'response') as Promise<[IncomingMessage]>;
    await new Promise((sent) => half.write(body.slice(0, 20), sent));
    // Connections are served in their order: when this one gets a response, the server has seen the beginning of ours.
    await fetch(`http://127.0.0.1:${port}/readyz`);
    const ended = api.signal('SIGTERM');
    await eventually(async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => 'refused')) === 'refused');

    half.end(body.slice(20));
    const [answer] = await answered;
    expect(answer.statusCode).toBe(202);
    expect(await json(answer)).toEqual({ items: [{ eventID: 'last', status: 'accepted' }] });
    await ended;
    expect(await api.exit).toEqual({ code: 0, signal: null });
    expect(await setup.database.prisma.event.count({ where: { eventKey: 'last' } })).toBe(1);
  });
});
