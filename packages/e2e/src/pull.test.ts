import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AppProcess,
  callApi,
  type CalloutSetup,
  createCompanies,
  createTestDatabase,
  eventually,
  everyCompanyEvent,
  prepareCallout,
  registerWebhook,
  type TenantUnderTest,
  testRedis,
} from '@callout/testing';
import { Webhook } from 'standardwebhooks';

interface Pulled {
  readonly ackID: string;
  readonly calloutID: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

let setup: CalloutSetup;
let tenant: TenantUnderTest;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const [{ url: databaseUrl, drop }, redis] = await Promise.all([createTestDatabase(), testRedis()]);
  stops.push(drop, redis.cleanUp);
  const settings = { RETRY_SCHEDULE: '10ms,10ms', SWEEP_EVERY_MS: '50', DEACTIVATE_AFTER_FAILURES: '1000' };
  setup = await prepareCallout({ databaseUrl, redisUrl: redis.url, redisPrefix: redis.prefix, settings });
  stops.push(() => setup.stop());
  await Promise.all([setup.installation.start('worker', 'worker').ready(), startApi().ready()]);
  tenant = await setup.tenant();
});
afterAll(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

function startApi(): AppProcess {
  return setup.installation.start('api', 'API');
}

/** The API that runs. */
function api(): AppProcess {
  const running = setup.installation.processes().findLast((one) => one.name === 'API' && one.isRunning());
  if (running === undefined) throw new Error('no API runs');
  return running;
}

async function aPulledWebhook() {
  const id = await registerWebhook(await api().ready(), tenant.integrator, {
    ...everyCompanyEvent,
    url: 'pull:',
    deactivationUrl: 'pull:',
  });
  const post = async (rest: string, body: unknown) =>
    callApi(await api().ready(), tenant.integrator, { method: 'POST', path: `/CompanyWebhooks/${id}/${rest}`, body });
  return {
    id,
    post,
    pull: async (body: object = {}): Promise<Pulled[]> => {
      const reply = await post('Pull', body);
      if (reply.kind !== 'answered' || reply.status !== 200) throw new Error(JSON.stringify(reply));
      return (reply.body as { items: Pulled[] }).items;
    },
    ack: (...callouts: readonly Pulled[]) => post('Pull/ack', { acks: callouts.map(({ ackID }) => ackID) }),
    /** Ends the leases of what was handed out, as their time does. */
    endLeases: async () => {
      const { prisma } = setup.database;
      const { key: webhookKey } = await prisma.webhook.findFirstOrThrow({ where: { id, deletedAt: null } });
      const where = { webhookKey, leaseUntil: { not: null } };
      const data = { leaseUntil: new Date(0) };
      await prisma.$transaction([
        prisma.openCallout.updateMany({ where, data }),
        prisma.pullLease.updateMany({ where: { webhookKey, outcome: null }, data }),
      ]);
    },
    remove: async () =>
      callApi(await api().ready(), tenant.integrator, { method: 'DELETE', path: `/CompanyWebhooks/${id}` }),
  };
}

const recordOf = ({ body }: Pulled) => (JSON.parse(body) as { Id: number }).Id;
const numberOf = ({ body }: Pulled) => (JSON.parse(body) as { SequenceNumber: number }).SequenceNumber;

describe('callouts that are fetched', () => {
  it('come as soon as they are owed, to one that waits, and verify', async () => {
    const webhook = await aPulledWebhook();
    const waiting = webhook.pull({ waitSeconds: 60 });
    await createCompanies(await api().ready(), tenant.source, { first: 1, count: 1 });
    const [callout] = await waiting;
    expect(callout).toBeDefined();
    const verifier = new Webhook(Buffer.from(everyCompanyEvent.secretKey).toString('base64'));
    expect(verifier.verify(callout?.body ?? '', callout?.headers ?? {})).toMatchObject({ Action: 'Create', Id: 1 });
    if (callout !== undefined)
      expect(await webhook.ack(callout)).toMatchObject({ body: { items: [{ status: 'acked' }] } });
    await webhook.remove();
  });

  it('come again when their lease ends without a word, and are failed when their attempts are used up', async () => {
    const webhook = await aPulledWebhook();
    await createCompanies(await api().ready(), tenant.source, { first: 101, count: 1 });
    const attempts: (string | undefined)[] = [];
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const [callout] = await webhook.pull({ waitSeconds: 60 });
      attempts.push(callout?.headers['X-Hook-Attempt']);
      await webhook.endLeases();
    }
    expect(attempts).toEqual(['1', '2', '3']);
    const { prisma } = setup.database;
    const where = { recordId: 101, state: 'failed' };
    await eventually(async () => (await prisma.callout.count({ where })) === 1);
    const callout = await prisma.callout.findFirstOrThrow({ where });
    const kept = await prisma.attempt.findMany({ where: { calloutId: callout.id }, orderBy: { number: 'asc' } });
    expect(kept.map(({ failureReason }) => failureReason)).toEqual(['leaseLapsed', 'leaseLapsed', 'leaseLapsed']);
    await webhook.remove();
  });

  it('are all there, in order per record, when the API is killed between handing out and hearing of it', async () => {
    const webhook = await aPulledWebhook();
    const port = await api().ready();
    const records = [201, 202, 203, 204, 205];
    const rounds = 4;
    for (let round = 0; round < rounds; round += 1) {
      const events = records.map((id) => ({
        ...{ entityType: 'Account', action: 'Update', id },
        fields: { companyName: `name ${round}` },
      }));
      expect(
        await callApi(port, tenant.source, { method: 'POST', path: '/EntityEvents', body: { events } }),
      ).toMatchObject({
        status: 202,
      });
    }
    const last = new Map<number, number>();
    const delivered = new Map<number, number>();
    for (let pull = 0; [...delivered.values()].reduce((sum, n) => sum + n, 0) < records.length * rounds; pull += 1) {
      const callouts = await webhook.pull({ waitSeconds: 60, leaseSeconds: 600, max: 3 });
      for (const callout of callouts) {
        // The next of a record comes only when the one before is acknowledged.
        expect(numberOf(callout)).toBeGreaterThan(last.get(recordOf(callout)) ?? 0);
      }
      if (pull % 4 === 1) {
        await api().signal('SIGKILL');
        await startApi().ready();
        // Some are acknowledged through another API; the lease of one ends.
        callouts.splice(0, 1);
      }
      if (callouts.length > 0) {
        const items = callouts.map(() => ({ status: 'acked' }));
        expect(await webhook.ack(...callouts)).toMatchObject({ body: { items } });
      }
      await webhook.endLeases();
      for (const callout of callouts) {
        last.set(recordOf(callout), numberOf(callout));
        delivered.set(recordOf(callout), (delivered.get(recordOf(callout)) ?? 0) + 1);
      }
    }
    expect(Object.fromEntries(delivered)).toEqual(Object.fromEntries(records.map((id) => [id, rounds])));
    await webhook.remove();
  });

  it('are tested like those that are sent', async () => {
    const webhook = await aPulledWebhook();
    const testing = webhook.post('test', undefined);
    const [callout] = await webhook.pull({ waitSeconds: 60 });
    expect(callout?.headers).toMatchObject({ 'X-Hook-Test': 'true' });
    if (callout !== undefined) await webhook.ack(callout);
    expect(await testing).toMatchObject({
      status: 202,
      body: { state: 'delivered', attempt: { url: 'pull:', status: 200 } },
    });
    await webhook.remove();
  });

  it('do not keep an API from stopping: those who wait are answered', async () => {
    const webhook = await aPulledWebhook();
    const stopped = api();
    const waiting = webhook.pull({ waitSeconds: 60 });
    // The request is on its way as soon as the API has counted it.
    await eventually(() => stopped.log().some(({ msg }) => msg === 'listening'));
    const events = await webhook.pull({ waitSeconds: 0 });
    expect(events).toEqual([]);
    await stopped.signal('SIGTERM');
    expect(await stopped.exit).toEqual({ code: 0, signal: null });
    expect(await waiting).toEqual([]);
  });
});
