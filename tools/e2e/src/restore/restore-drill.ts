import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { memoryDirectory } from '@callout/local/test-run';
import type { Credential } from '@callout/client';
import { callApi, eventually, everyCompanyEvent, prepareCallout, registerWebhook, testRedis } from '@callout/testing';
import { type Backup } from './backups.ts';

/** The result of each company, by what its receiver got. */
export interface RestoreReport {
  /** Of companies written before the backup: how many events are stored after the restore. */
  readonly eventsKept: number;
  /** The ids of callouts that arrived, before and after the restore. */
  readonly delivered: Arrivals;
  readonly owed: Arrivals;
  /** Written after the backup: lost, and sent again by the product with the same `eventID`. */
  readonly later: Arrivals;
  /** How many events written after the backup are stored after the restore, before they are sent again. */
  readonly laterEventsKept: number;
}

/** `webhook-id`s, in the order of companies. */
export interface Arrivals {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const range = (first: number, count: number): number[] => Array.from({ length: count }, (_, nth) => first + nth);
/** Delivered before the backup. */
const DELIVERED = range(1, 20);
/** Accepted before the backup, and delivered after it. */
const OWED = range(101, 20);
/** Accepted and delivered after the backup. */
const LATER = range(201, 20);

/**
 * Backs up an installation at work, loses the server with its files, restores it, and starts the same processes again.
 * @param onStop is called with a function that ends each thing that was started.
 */
export async function drillRestore(
  makeBackup: (dir: string) => Backup,
  onStop: (stop: () => Promise<unknown>) => void,
): Promise<RestoreReport> {
  const dir = await mkdtemp(path.join(memoryDirectory(), 'callout-restore-'));
  onStop(() => rm(dir, { recursive: true, force: true }));
  // For root PostgreSQL runs as another user, who needs access.
  await chmod(dir, 0o711);
  const backup = makeBackup(dir);
  const lost = await backup.start();
  onStop(() => lost.stop());
  const redis = await testRedis();
  onStop(() => redis.cleanUp());
  const common = { redisUrl: redis.url, redisPrefix: redis.prefix };
  const settings = { RETRY_SCHEDULE: Array.from({ length: 40 }, () => '500ms').join(',') };
  const setup = await prepareCallout({ ...common, databaseUrl: lost.url, settings });
  onStop(() => setup.stop());
  const { receiver } = setup;
  const [api, worker] = [setup.installation.start('api', 'API'), setup.installation.start('worker', 'worker')];
  const [port] = await Promise.all([api.ready(), worker.ready()]);
  const tenant = await setup.tenant();
  await backup.begin(lost);
  await registerWebhook(port, tenant.integrator, { ...everyCompanyEvent, url: receiver.url('/in') });
  const idsOf = (companies: readonly number[], since: number) => {
    const requests = receiver.requests('/in').slice(since);
    return companies.flatMap((company) =>
      requests
        .filter(({ body }) => (JSON.parse(body.toString()) as { Id: unknown }).Id === company)
        .map(({ headers }) => String(headers['webhook-id'])),
    );
  };
  const openCallouts = () => setup.database.prisma.openCallout.count();
  const settled = () => setup.database.prisma.pendingEvent.count();

  const eventIds = new Map([...DELIVERED, ...OWED, ...LATER].map((company) => [company, randomUUID()]));
  await send(port, tenant.source, DELIVERED, eventIds);
  await eventually(async () => (await settled()) === 0 && (await openCallouts()) === 0);
  receiver.script('/in', { status: 503 });
  await send(port, tenant.source, OWED, eventIds);
  await eventually(async () => (await settled()) === 0 && idsOf(OWED, 0).length >= OWED.length);
  await backup.take(lost);
  receiver.script('/in', { status: 200 });
  await send(port, tenant.source, LATER, eventIds);
  await eventually(async () => (await settled()) === 0 && (await openCallouts()) === 0);

  // Everything is lost but the backup, the key ring, and the data of Redis.
  await setup.installation.stop();
  const arrived = receiver.count('/in');
  const before = { delivered: idsOf(DELIVERED, 0), owed: idsOf(OWED, 0), later: idsOf(LATER, 0) };
  await lost.stop();
  await rm(path.join(dir, 'postgres'), { recursive: true, force: true });
  const restored = await backup.restore();
  onStop(() => restored.stop());

  const keys = { ...settings, SECRET_KEYS: setup.installation.secretKeys };
  const again = await prepareCallout({ ...common, databaseUrl: restored.url, settings: keys });
  onStop(() => again.stop());
  const stored = (companies: readonly number[]) =>
    again.database.prisma.event.count({ where: { recordId: { in: [...companies] } } });
  const [eventsKept, laterEventsKept] = [await stored([...DELIVERED, ...OWED]), await stored(LATER)];
  const [newApi, newWorker] = [again.installation.start('api', 'API'), again.installation.start('worker', 'worker')];
  const [newPort] = await Promise.all([newApi.ready(), newWorker.ready()]);
  await eventually(() => OWED.every((company) => idsOf([company], arrived).length > 0));
  await send(newPort, tenant.source, [...DELIVERED, ...OWED, ...LATER], eventIds);
  await eventually(async () => {
    const { prisma } = again.database;
    const open = (await prisma.pendingEvent.count()) + (await prisma.openCallout.count());
    return open === 0 && LATER.every((company) => idsOf([company], arrived).length > 0);
  });
  return {
    eventsKept,
    laterEventsKept,
    delivered: { before: before.delivered, after: idsOf(DELIVERED, arrived) },
    owed: { before: before.owed, after: idsOf(OWED, arrived) },
    later: { before: before.later, after: idsOf(LATER, arrived) },
  };
}

/** Reports new companies, each with its own `eventID`: safe to repeat. */
async function send(
  port: number,
  source: Credential,
  companies: readonly number[],
  eventIds: ReadonlyMap<number, string>,
): Promise<void> {
  const events = companies.map((id) => ({
    eventID: eventIds.get(id),
    entityType: 'Account',
    action: 'Create',
    id,
    fields: { companyName: `company ${id}` },
  }));
  const reply = await callApi(port, source, { method: 'POST', path: '/EntityEvents', body: { events } });
  if (reply.kind !== 'answered' || reply.status !== 202) throw new Error(`not accepted: ${JSON.stringify(reply)}`);
}
