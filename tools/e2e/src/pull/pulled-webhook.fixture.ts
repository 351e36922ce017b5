import { afterAll, beforeAll } from '@jest/globals';
import {
  type AppProcess,
  callApi,
  type CalloutSetup,
  createTestDatabase,
  everyCompanyEvent,
  prepareCallout,
  registerWebhook,
  type TenantUnderTest,
  testRedis,
} from '@callout/testing';

export interface Pulled {
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
  const settings = { RETRY_SCHEDULE: '10ms,10ms', DEACTIVATE_AFTER_FAILURES: '1000' };
  setup = await prepareCallout({ databaseUrl, redisUrl: redis.url, redisPrefix: redis.prefix, settings });
  stops.push(() => setup.stop());
  await Promise.all([setup.installation.start('worker', 'worker').ready(), startApi().ready()]);
  tenant = await setup.tenant();
});
afterAll(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

/** The tenant of all tests, and the database. */
export function installation() {
  return { tenant, database: setup.database };
}

export function startApi(): AppProcess {
  return setup.installation.start('api', 'API');
}

/** The API that runs. */
export function api(): AppProcess {
  const running = setup.installation.processes().findLast((one) => one.name === 'API' && one.isRunning());
  if (running === undefined) throw new Error('no API runs');
  return running;
}

/** A webhook of the tenant whose callouts are fetched. @param others other fields of it, as the API names them. */
export async function aPulledWebhook(others: Readonly<Record<string, unknown>> = {}) {
  const id = await registerWebhook(await api().ready(), tenant.integrator, {
    ...everyCompanyEvent,
    url: 'pull:',
    deactivationUrl: 'pull:',
    others,
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
    /** Ends the leases of handed out callouts, as time does. */
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
