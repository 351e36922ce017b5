import { setTimeout as sleep } from 'node:timers/promises';
import type { Credential } from '@callout/client';
import { callApi } from '@callout/testing';
import { allOver, closeBooks, type DrillReport, reportOf } from './check/close-books.ts';
import { DOWN_MS, emptied, injectFaults, type FaultPlan, postgresKilled } from './faults/faults.ts';
import { createRandom, type Random } from './random.ts';
import { sayProgress } from './say.ts';
import { makeDrillTenant, type OnStop, startClients } from './traffic/drill-tenant.ts';
import { meddle } from './traffic/meddler.ts';
import { moveUntilDone } from './mover.ts';
import { type DrillZone, startZone } from './two-zones.ts';

const WRITERS = 3;
/** Before the move begins, and after it. */
const LEAST_REQUESTS = 100;
const LOOK_EVERY_MS = 50;

/**
 * A tenant is moved from one zone to another while its clients write and its webhooks are changed, and while processes
 * and databases of both zones, and the command that moves it, are killed or frozen. Clients know a zone only from
 * `zoneInformation`, which they ask when they are answered that they are in the wrong one. Then the books are held
 * against each other.
 * @param kills how often the command is killed or frozen.
 */
export async function runMoveDrill(seed: string, kills: number, onStop: OnStop): Promise<DrillReport> {
  const random = createRandom(seed);
  const names = ['one', 'two'] as const;
  const [source, target] = await Promise.all([startZone('one', names, onStop), startZone('two', names, onStop)]);
  onStop(sayProgress(target.database));
  const zones = new Map([source, target].map((zone) => [zone.name, zone]));
  const drilled = await makeDrillTenant(source.database, source.api.port() ?? 0, random, onStop);
  const { tenant } = drilled;
  const { name } = await source.database.prisma.tenant.findUniqueOrThrow({ where: { id: tenant.id } });

  let served = { zone: source, tenantId: tenant.id };
  /** Finds the zone again, as a client does after a 421. */
  async function follow(credential: Credential): Promise<void> {
    const zone = zones.get((await zoneOf(served.zone, credential)) ?? '');
    if (zone === undefined || zone === served.zone) return;
    const moved = await zone.database.prisma.tenant.findUnique({ where: { name } }).catch(() => null);
    if (moved !== null) served = { zone, tenantId: moved.id };
  }

  let isOver = false;
  const clients = startClients(drilled, random, {
    writers: WRITERS,
    port: () => served.zone.api.port(),
    isOver: () => isOver,
    onWrongZone: () => follow(tenant.source),
  });
  const meddling = meddle({
    ...drilled,
    ...{ credential: tenant.admin, ownerId: tenant.ownerId, random: random.branch('meddler') },
    get database() {
      return served.zone.database;
    },
    get tenantId() {
      return served.tenantId;
    },
    port: () => served.zone.api.port(),
    isOver: () => isOver,
    onWrongZone: () => follow(tenant.admin),
  });
  const requested = async (count: number) => {
    while (clients.requests() < count) await sleep(LOOK_EVERY_MS);
  };
  const moving = async () => {
    await requested(LEAST_REQUESTS);
    const options = {
      random: random.branch('mover'),
      env: {
        DATABASE_URL: source.services.databaseUrl,
        SECRET_KEYS: source.installation.secretKeys,
        TO_DATABASE_URL: target.services.databaseUrl,
        TO_SECRET_KEYS: target.installation.secretKeys,
      },
    };
    const moved = await moveUntilDone({ ...options, args: [name, '--zone', 'two'], kills });
    await requested(clients.requests() + LEAST_REQUESTS);
    const erased = await moveUntilDone({ ...options, args: [name, '--zone', 'two', '--delete-source'], kills: 0 });
    return { moved, erased };
  };
  const [{ moved, erased }, happened, ledger, chronicles] = await allOver([
    moving().finally(() => {
      isOver = true;
    }),
    injectFaults(random.branch('faults'), plansFor([source, target])),
    clients.ledger,
    meddling,
  ]);

  const slots = [source, target].flatMap(({ api, worker }) => [api, worker]);
  const books = await closeBooks(drilled, target.database, slots, ledger, chronicles);
  const { stored, outcome, arrivals } = books;
  const left = [await source.database.prisma.webhook.count(), await source.database.prisma.event.count()];
  const story = [
    ...happened,
    `the command ran ${moved.runs} times and was killed or frozen ${moved.kills} times: ${moved.printed}`,
    erased.printed,
    `${stored.events.length} events stored, ${outcome.owed} callouts owed, ${arrivals.length} requests came: ` +
      `${outcome.retries} after a receiver's failure, ${outcome.duplicates} duplicates`,
  ];
  const processes = [source, target].flatMap(({ installation }) => installation.processes());
  const isLeft = left.some((count) => count > 0);
  const problems = isLeft ? [`the first zone still has ${left.join(' webhooks, ')} events`] : [];
  return reportOf(seed, books, processes, story, problems);
}

/** Undefined while its API is down. */
async function zoneOf({ api }: DrillZone, credential: Credential): Promise<string | undefined> {
  const path = `/zoneInformation?user=${encodeURIComponent(credential.userName)}`;
  const reply = await callApi(api.port() ?? 0, credential, { method: 'GET', path });
  return reply.kind === 'answered' ? (reply.body as { zoneName?: string }).zoneName : undefined;
}

/** In both zones, so that the process that serves the tenant at a moment may die. */
function plansFor(zones: readonly DrillZone[]): FaultPlan[] {
  return zones.flatMap(({ name, services, api, worker }) => [
    ...[api, worker].map((slot) => ({
      name: slot.name,
      pauseMs: [1000, 3000] as const,
      faults: (['SIGKILL', 'SIGTERM', 'SIGKILL'] as const).map((signal) => ({
        name: signal,
        happen: (random: Random) => slot.restart(signal, random.between(...DOWN_MS)),
      })),
    })),
    {
      name: `servers of ${name}`,
      pauseMs: [2000, 5000] as const,
      faults: [postgresKilled(services), emptied(services)],
    },
  ]);
}
