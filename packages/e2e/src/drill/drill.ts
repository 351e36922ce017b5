import {
  type App,
  callApi,
  type Installation,
  itemId,
  makeTenant,
  openForTest,
  prepareInstallation,
  registerWebhook,
  type TenantUnderTest,
} from '@callout/testing';
import { leaksIn, type Secrets } from '../process/leaks.ts';
import { companyUdf } from './traffic/entities.ts';
import { keepEvidence } from './check/evidence.ts';
import type { LedgerEntry } from './traffic/ledger.ts';
import { meddle } from './traffic/meddler.ts';
import { injectFaults } from './faults/faults.ts';
import { createMachines } from './faults/machine.ts';
import { createRandom } from './random.ts';
import { startDrillReceivers } from './receivers/receivers.ts';
import { reconcile } from './check/reconcile.ts';
import type { Scenario } from './faults/scenario.ts';
import { DRILL_PREFIX, type DrillServers } from './faults/servers.ts';
import { readStoredHistory, whenSettled } from './check/settled.ts';
import { createSlot, type Slot } from './faults/slot.ts';
import { drillWebhooks, registrationOf, type DrillWebhook } from './traffic/webhooks.ts';
import { write } from './traffic/writer.ts';
import { createWriteSource } from './traffic/writes.ts';

export interface DrillReport {
  /** The course of the drill, one line for each step. */
  readonly story: readonly string[];
  /** The inconsistencies; empty when nothing was lost. */
  readonly problems: readonly string[];
  /** The numbers of stored events and of expected callouts. */
  readonly events: number;
  readonly callouts: number;
}

const WRITERS = 4;
/** A machine so busy that everything was down all the time would have shown nothing: then writing goes on. */
const LEAST_REQUESTS = 100;

/** In a drill of an hour all requests and logs must fit into memory. */
const LONG = { longestPauseMs: 1_200, patienceMs: 300_000 };

/**
 * Short leases and sweeps, so that the work of a dead worker goes on soon; failures of receivers are retried so often
 * that no callout is ever given up.
 */
const SETTINGS = {
  LOG_LEVEL: 'debug',
  CALLOUT_TIMEOUT_MS: '1000',
  LEASE_MS: '2000',
  SWEEP_EVERY_MS: '200',
  RETRY_SCHEDULE: Array.from({ length: 40 }, () => '500ms').join(','),
  REDELIVERIES_PER_HOUR: '0',
  ALERT_AFTER: '1s',
};

/**
 * A drill: clients write while faults happen. Then the records of clients, database and receivers are compared.
 * @param scenario the services, and the faults.
 * @param seed determines the writes and the order of the faults; the machine determines how the two meet.
 * @param onStop is called with a function that ends each thing that was started, also when a later one fails to start.
 */
export async function runScenario<Servers extends DrillServers>(
  scenario: Scenario<Servers>,
  seed: string,
  onStop: (stop: () => Promise<void>) => void,
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

  const tenant = await makeTenant(database);
  const webhooks = drillWebhooks(tenant);
  const receivers = await startDrillReceivers(random.branch('receivers'), webhooks);
  onStop(() => receivers.stop());
  const udf = { method: 'POST', path: '/UserDefinedFieldDefinitions', body: companyUdf.definition } as const;
  const udfId = await itemId(callApi(api.port() ?? 0, tenant.admin, udf));
  const ids = new Map<string, number>();
  for (const webhook of webhooks) {
    const registration = registrationOf(webhook, receivers.urlOf(webhook), udfId);
    const owner = webhook.fate === 'orphaned' ? tenant.owner : tenant.integrator;
    ids.set(webhook.name, await registerWebhook(api.port() ?? 0, owner, registration));
  }

  const startedAtMs = Date.now();
  let isOver = false;
  let requests = 0;
  const clients = Array.from({ length: WRITERS }, (_, nth) => {
    const source = createWriteSource(random.branch(`writes ${nth}`), nth, tenant);
    return write({
      source: { next: () => ((requests += 1), source.next()) },
      random: random.branch(`pauses ${nth}`),
      credential: tenant.source,
      ownId: tenant.sourceId,
      // Clients of a load balancer meet both versions.
      port: () => (requests % 2 === 0 ? (otherApi ?? apis[1])?.port() : undefined) ?? api.port(),
      ...(scenario.isLong && LONG),
      isOver: () => isOver && requests >= LEAST_REQUESTS,
    });
  });
  const meddling = meddle({
    ...{ webhooks, ids, database, tenantId: tenant.id, credential: tenant.admin, ownerId: tenant.ownerId },
    random: random.branch('meddler'),
    port: () => api.port(),
    isOver: () => isOver,
  });
  const faults = injectFaults(
    random.branch('faults'),
    scenario.plans({ services, api, apis, workers, beside, machineOf: machines.machineOf }),
  ).finally(() => {
    isOver = true;
  });
  const [happened, books, chronicles] = await allOver([faults, Promise.all(clients), meddling]);
  const ledger = books.flat();
  const wroteMs = Date.now() - startedAtMs;

  const unsettled = await whenSettled(database);
  const settledMs = Date.now() - startedAtMs - wroteMs;
  const badEnds = await stopAll([...apis, ...workers, ...beside]);
  const stored = await readStoredHistory(database);
  const arrivals = receivers.arrivals();
  const outcome = reconcile({ ledger, ...stored, chronicles, meddlerId: tenant.adminId, arrivals });
  const leaks = findLeaks(installation, secretsOf(tenant, webhooks, installation, services));
  const problems = [...unsettled, ...stored.problems, ...outcome.problems, ...leaks, ...badEnds];
  const story = [
    ...happened,
    `${seconds(wroteMs)} of writing: ${count(ledger, 'taken')} events taken, ${count(ledger, 'duplicate')} known, ` +
      `${count(ledger, 'unchanged')} unchanged, ${count(ledger, 'refused')} refused; ` +
      `${ledger.filter(({ sent }) => sent > 1).length} sent more than once; ${stored.events.length} events stored`,
    `${outcome.owed} callouts owed, ${arrivals.length} requests came: ${outcome.retries} after a receiver's failure, ` +
      `${outcome.duplicates} duplicates; ${outcome.deactivations} deactivations notified, ${stored.cancelled.length} callouts ` +
      `cancelled; all done ${seconds(settledMs)} after the last write`,
  ];
  if (problems.length > 0)
    story.push(`logs are in ${await keepEvidence(seed, installation.processes(), ledger, problems)}`);
  return { story, problems, events: stored.events.length, callouts: outcome.owed };
}

/** Waits for all of them also when one fails: restarts must not go on after the drill. */
async function allOver<T extends readonly Promise<unknown>[]>(
  activities: [...T],
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(activities);
  return Promise.all(activities);
}

/** No process may have ended by itself; and each, stopped without open work, must end with status 0. */
async function stopAll(slots: readonly Slot[]): Promise<string[]> {
  const statuses = await Promise.all(slots.map((slot) => slot.stop()));
  return slots.flatMap((slot, nth) => [
    ...slot.crashes(),
    ...(statuses[nth] === 0 ? [] : [`${slot.name} ended with ${statuses[nth]} after SIGTERM`]),
  ]);
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
    ...Object.fromEntries(webhooks.map(({ name, secretKey }) => [`key of webhook ${name}`, secretKey])),
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
