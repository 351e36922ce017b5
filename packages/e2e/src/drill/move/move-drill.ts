import { setTimeout as sleep } from 'node:timers/promises';
import type { Credential } from '@callout/client';
import { callApi, itemId, makeTenant, registerWebhook } from '@callout/testing';
import type { DrillReport } from '../drill.ts';
import { keepEvidence } from '../check/evidence.ts';
import { reconcile } from '../check/reconcile.ts';
import { readStoredHistory, whenSettled } from '../check/settled.ts';
import { injectFaults, type FaultPlan } from '../faults/faults.ts';
import { createRandom } from '../random.ts';
import { startDrillReceivers } from '../receivers/receivers.ts';
import { companyUdf } from '../traffic/entities.ts';
import { meddle } from '../traffic/meddler.ts';
import { drillWebhooks, registrationOf } from '../traffic/webhooks.ts';
import { write } from '../traffic/writer.ts';
import { createWriteSource } from '../traffic/writes.ts';
import { moveUntilDone } from './mover.ts';
import { type DrillZone, startZone } from './two-zones.ts';

const WRITERS = 3;
/** Before the move begins, and after it. */
const LEAST_REQUESTS = 100;
const LOOK_EVERY_MS = 50;
const DOWN_MS = [0, 900] as const;

/** As in the loss drill. */
const SETTINGS = {
  LOG_LEVEL: 'debug',
  CALLOUT_TIMEOUT_MS: '1000',
  LEASE_MS: '2000',
  SWEEP_EVERY_MS: '200',
  RETRY_SCHEDULE: Array.from({ length: 40 }, () => '500ms').join(','),
};

/**
 * A tenant is moved from one zone to another while its clients write and its webhooks are changed, and while processes
 * and databases of both zones, and the command that moves it, are killed or frozen. Clients know a zone only from
 * `zoneInformation`, which they ask when they are answered that they are in the wrong one. Then the books are held
 * against each other.
 * @param kills how often the command is killed or frozen.
 */
export async function runMoveDrill(
  seed: string,
  kills: number,
  onStop: (stop: () => Promise<void>) => void,
): Promise<DrillReport> {
  const random = createRandom(seed);
  const names = ['one', 'two'] as const;
  const [source, target] = await Promise.all([
    startZone('one', names, SETTINGS, onStop),
    startZone('two', names, SETTINGS, onStop),
  ]);
  const zones = new Map([source, target].map((zone) => [zone.name, zone]));
  const tenant = await makeTenant(source.database);
  const { name } = await source.database.prisma.tenant.findUniqueOrThrow({ where: { id: tenant.id } });
  const webhooks = drillWebhooks(tenant);
  const receivers = await startDrillReceivers(random.branch('receivers'), webhooks);
  onStop(() => receivers.stop());
  const port = source.api.port() ?? 0;
  const udf = { method: 'POST', path: '/UserDefinedFieldDefinitions', body: companyUdf.definition } as const;
  const udfId = await itemId(callApi(port, tenant.admin, udf));
  const ids = new Map<string, number>();
  for (const webhook of webhooks) {
    const owner = webhook.fate === 'orphaned' ? tenant.owner : tenant.integrator;
    ids.set(webhook.name, await registerWebhook(port, owner, registrationOf(webhook, receivers.urlOf(webhook), udfId)));
  }

  let served = { zone: source, tenantId: tenant.id };
  /** Finds the zone again, as a client does after a 421. */
  async function follow(credential: Credential): Promise<void> {
    const zone = zones.get((await zoneOf(served.zone, credential)) ?? '');
    if (zone === undefined || zone === served.zone) return;
    const moved = await zone.database.prisma.tenant.findUnique({ where: { name } }).catch(() => null);
    if (moved !== null) served = { zone, tenantId: moved.id };
  }

  let requests = 0;
  let isOver = false;
  const clients = Array.from({ length: WRITERS }, (_, nth) => {
    const writes = createWriteSource(random.branch(`writes ${nth}`), nth, tenant);
    return write({
      source: { next: () => ((requests += 1), writes.next()) },
      random: random.branch(`pauses ${nth}`),
      credential: tenant.source,
      ownId: tenant.sourceId,
      port: () => served.zone.api.port(),
      isOver: () => isOver,
      onWrongZone: () => follow(tenant.source),
    });
  });
  const meddling = meddle({
    ...{ webhooks, ids, credential: tenant.admin, ownerId: tenant.ownerId, random: random.branch('meddler') },
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
  const sent = () => requests;
  const requested = async (count: number) => {
    while (sent() < count) await sleep(LOOK_EVERY_MS);
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
    await requested(requests + LEAST_REQUESTS);
    const erased = await moveUntilDone({ ...options, args: [name, '--zone', 'two', '--delete-source'], kills: 0 });
    return { moved, erased };
  };
  const activities = [
    moving().finally(() => {
      isOver = true;
    }),
    injectFaults(random.branch('faults'), plansFor([source, target])),
    Promise.all(clients),
    meddling,
  ] as const;
  await Promise.allSettled(activities);
  const [{ moved, erased }, happened, books, chronicles] = await Promise.all(activities);

  const ledger = books.flat();
  const unsettled = await whenSettled(target.database);
  const slots = [source, target].flatMap(({ api, worker }) => [api, worker]);
  const statuses = await Promise.all(slots.map((slot) => slot.stop()));
  const badEnds = slots.flatMap((slot, nth) => [
    ...slot.crashes(),
    ...(statuses[nth] === 0 ? [] : [`${slot.name} ended with ${statuses[nth]} after SIGTERM`]),
  ]);
  const stored = await readStoredHistory(target.database);
  const arrivals = receivers.arrivals();
  const outcome = reconcile({ ledger, ...stored, chronicles, meddlerId: tenant.adminId, arrivals });
  const left = [await source.database.prisma.webhook.count(), await source.database.prisma.event.count()];
  const problems = [
    ...unsettled,
    ...stored.problems,
    ...outcome.problems,
    ...badEnds,
    ...(left.some((count) => count > 0) ? [`the first zone still has ${left.join(' webhooks, ')} events`] : []),
  ];
  const story = [
    ...happened,
    `the command ran ${moved.runs} times and was killed or frozen ${moved.kills} times: ${moved.said}`,
    erased.said,
    `${stored.events.length} events stored, ${outcome.owed} callouts owed, ${arrivals.length} requests came: ` +
      `${outcome.retries} after a receiver's failure, ${outcome.duplicates} duplicates`,
  ];
  if (problems.length > 0) {
    const processes = [source, target].flatMap(({ installation }) => installation.processes());
    story.push(`logs are in ${await keepEvidence(seed, processes, ledger, problems)}`);
  }
  return { story, problems, events: stored.events.length, callouts: outcome.owed };
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
        happen: (random: ReturnType<typeof createRandom>) => slot.restart(signal, random.between(...DOWN_MS)),
      })),
    })),
    {
      name: `servers of ${name}`,
      pauseMs: [2000, 5000] as const,
      faults: [
        {
          name: 'PostgreSQL killed',
          happen: (random: ReturnType<typeof createRandom>) => services.killPostgres(random.between(...DOWN_MS)),
        },
        { name: 'Redis emptied', happen: () => services.emptyRedis() },
      ],
    },
  ]);
}
