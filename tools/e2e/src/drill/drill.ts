import { type App, type Installation, openForTest, prepareInstallation, type TenantUnderTest } from '@callout/testing';
import { leaksIn, type Secrets } from '../leaks.ts';
import { allOver, closeBooks, type DrillReport, reportOf } from './check/close-books.ts';
import { injectFaults } from './faults/faults.ts';
import { liftThreshold, passHours } from './faults/hours.ts';
import { createMachines } from './faults/machine.ts';
import type { Scenario } from './faults/scenario.ts';
import { DRILL_PREFIX, type DrillServers, DRILL_SETTINGS } from './faults/servers.ts';
import { createSlot, type Slot } from './faults/slot.ts';
import { createRandom } from './random.ts';
import { sayProgress } from './say.ts';
import { makeDrillTenant, type OnStop, startClients } from './traffic/drill-tenant.ts';
import type { LedgerEntry } from './traffic/ledger.ts';
import { meddle } from './traffic/meddler.ts';
import { secretsIn } from './traffic/variety.ts';
import type { DrillWebhook } from './traffic/webhooks.ts';

const WRITERS = 4;
/** A machine so busy that everything was down all the time would have shown nothing: then writing goes on. */
const LEAST_REQUESTS = 100;

/** In a drill of an hour all requests and logs must fit into memory. */
const LONG = { longestPauseMs: 1_200, patienceMs: 300_000 };

const SETTINGS = { ...DRILL_SETTINGS, ALERT_AFTER: '1s' };

/**
 * A drill: clients write while faults happen. Then the records of clients, database and receivers are compared.
 * @param scenario the services, and the faults.
 * @param seed determines the writes and the order of the faults; the machine determines how the two meet.
 * @param onStop is called with a function that ends each thing that was started, also when a later one fails to start.
 */
export async function runScenario<Servers extends DrillServers>(
  scenario: Scenario<Servers>,
  seed: string,
  onStop: OnStop,
): Promise<DrillReport> {
  const random = createRandom(seed);
  const services = await scenario.start();
  onStop(() => services.stop());
  const ofAll = { ...services, redisPrefix: DRILL_PREFIX };
  const installation = await prepareInstallation({
    ...ofAll,
    settings: { ...SETTINGS, ...(scenario.isLong && { LOG_LEVEL: 'info' }) },
  });
  const sameKeys = { ...SETTINGS, SECRET_KEYS: installation.secretKeys };
  onStop(() => installation.stop());
  const machines = createMachines(services, onStop);
  const place = (app: App, name: string): Promise<Slot> | Slot =>
    scenario.hasMachines ? machines.place(installation, app, name) : createSlot(installation, app, name);
  const api = await place('api', 'API');
  const apis = [api, ...(scenario.isLong ? [await place('api', 'API 2')] : [])];
  const workers: Slot[] = [];
  for (const nth of scenario.isLong ? [1, 2, 3, 4] : [1, 2]) workers.push(await place('worker', `worker ${nth}`));
  await Promise.all([...apis, ...workers].map((slot) => slot.start()));
  const others =
    scenario.beside && (await prepareInstallation({ ...ofAll, root: scenario.beside.root, settings: sameKeys }));
  if (others) onStop(() => others.stop());
  const otherApi = others && createSlot(others, 'api', 'API of the other version');
  const beside = others && otherApi ? [otherApi, createSlot(others, 'worker', 'worker of the other version')] : [];
  await Promise.all(beside.map((slot) => slot.start()));
  const database = openForTest(services.databaseUrl);
  onStop(() => database.close());
  const endProgress = sayProgress(database);
  onStop(endProgress);

  const drilled = await makeDrillTenant(database, api.port() ?? 0, random, onStop);
  const { tenant, webhooks } = drilled;
  const startedAtMs = Date.now();
  let isOver = false;
  const clients = startClients(drilled, random, {
    writers: WRITERS,
    // Clients of a load balancer meet both versions.
    port: (requests) => (requests % 2 === 0 ? (otherApi ?? apis[1])?.port() : undefined) ?? api.port(),
    ...(scenario.isLong && LONG),
    isOver: (requests) => isOver && requests >= LEAST_REQUESTS,
  });
  const meddling = meddle({
    ...drilled,
    ...{ database, tenantId: tenant.id, credential: tenant.admin, ownerId: tenant.ownerId },
    random: random.branch('meddler'),
    port: () => api.port(),
    isOver: () => isOver,
  });
  const hours = passHours(database, tenant.id, () => isOver);
  const faults = injectFaults(
    random.branch('faults'),
    scenario.plans({ services, api, apis, workers, beside, machineOf: machines.machineOf }),
  ).finally(() => {
    isOver = true;
  });
  const [happened, ledger, chronicles, mostHeld] = await allOver([faults, clients.ledger, meddling, hours]);
  const wroteAtMs = Date.now();
  await liftThreshold(database, tenant.id);

  const books = await closeBooks(drilled, database, [...apis, ...workers, ...beside], ledger, chronicles);
  await endProgress();
  const { outcome, stored, arrivals } = books;
  const story = [
    ...happened,
    `${seconds(wroteAtMs - startedAtMs)} of writing: ${count(ledger, 'taken')} events taken, ${count(ledger, 'duplicate')} known, ` +
      `${count(ledger, 'unchanged')} unchanged, ${count(ledger, 'refused')} refused; ` +
      `${ledger.filter(({ sent }) => sent > 1).length} sent more than once; ${stored.events.length} events stored`,
    `${outcome.owed} callouts owed, ${arrivals.length} requests came: ${outcome.retries} after a receiver's failure, ` +
      `${outcome.duplicates} duplicates; ${outcome.deactivations} deactivations notified, ${stored.cancelled.length} callouts ` +
      `cancelled, up to ${mostHeld} held at a time; ` +
      `${books.signedTwice} requests signed by two keys, of ${drilled.keys.all().length}; all done ${seconds(books.settledAtMs - wroteAtMs)} after the last write`,
  ];
  const leaks = findLeaks(installation, secretsOf(tenant, webhooks, installation, services));
  return reportOf(seed, books, installation.processes(), story, leaks);
}

function secretsOf(
  { integrator, owner, source, admin }: TenantUnderTest,
  webhooks: readonly DrillWebhook[],
  { secretKeys }: Installation,
  { databaseUrl, redisUrl }: DrillServers,
): Secrets {
  return {
    'database password': passwordOf(databaseUrl),
    'Redis password': passwordOf(redisUrl),
    'key ring': secretKeys.slice(secretKeys.indexOf(':') + 1),
    'secret of the integrator': integrator.secret,
    'secret of the owner': owner.secret,
    'secret of the source': source.secret,
    'secret of the admin': admin.secret,
    ...Object.fromEntries(
      webhooks.flatMap(({ name, secretKey, credentials }) =>
        [secretKey, ...secretsIn(credentials)].map((secret, nth) => [`secret ${nth} of webhook ${name}`, secret]),
      ),
    ),
  };
}

/** Of a URL that may name several hosts. */
function passwordOf(url: string): string {
  return new URL(url.replace(/,[^/]*/, '')).password;
}

function findLeaks(installation: Installation, secrets: Secrets): string[] {
  return installation.processes().flatMap((process) => {
    const stray = process.strayOutput();
    const leaks = leaksIn(process.output(), secrets).map((secret) => `${process.name} printed the ${secret}`);
    return stray === '' ? leaks : [...leaks, `${process.name} printed what is no log line: ${stray.slice(0, 500)}`];
  });
}

function count(ledger: readonly LedgerEntry[], outcome: LedgerEntry['outcome']): number {
  return ledger.filter((entry) => entry.outcome === outcome).length;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
