import {
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
  /** What happened, one line each. */
  readonly story: readonly string[];
  /** What does not add up; empty when nothing was lost. */
  readonly problems: readonly string[];
  /** How many events were stored, and callouts owed. */
  readonly events: number;
  readonly callouts: number;
}

const WRITERS = 4;
/** A machine so busy that everything was down all the time would have shown nothing: then writing goes on. */
const LEAST_REQUESTS = 100;

/**
 * Short leases and sweeps, so that what a dead worker held goes on soon; a receiver's failures are tried again so often
 * that no callout is ever given up.
 */
const SETTINGS = {
  LOG_LEVEL: 'debug',
  CALLOUT_TIMEOUT_MS: '1000',
  LEASE_MS: '2000',
  SWEEP_EVERY_MS: '200',
  RETRY_SCHEDULE: Array.from({ length: 40 }, () => '500ms').join(','),
};

/**
 * A drill: clients write while things go wrong. Then the records of clients, database and receivers are compared.
 * @param scenario what it runs on, and what goes wrong.
 * @param seed decides what is written and what goes wrong in which order; the machine decides how the two meet.
 * @param onStop is told what ends each thing that was started, also when a later one fails to start.
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
  const installation = await prepareInstallation({ ...ofAll, settings: SETTINGS });
  const sameKeys = { ...SETTINGS, SECRET_KEYS: installation.secretKeys };
  onStop(() => installation.stop());
  const api = createSlot(installation, 'api', 'API');
  const workers = [1, 2].map((nth) => createSlot(installation, 'worker', `worker ${nth}`));
  await Promise.all([api, ...workers].map((slot) => slot.start()));
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
      port: () => (requests % 2 === 0 ? otherApi?.port() : undefined) ?? api.port(),
      isOver: () => isOver && requests >= LEAST_REQUESTS,
    });
  });
  const meddling = meddle({
    ...{ webhooks, ids, database, tenantId: tenant.id, credential: tenant.admin, ownerId: tenant.ownerId },
    random: random.branch('meddler'),
    port: () => api.port(),
    isOver: () => isOver,
  });
  const faults = injectFaults(random.branch('faults'), scenario.plans({ services, api, workers, beside })).finally(
    () => {
      isOver = true;
    },
  );
  const [happened, books, chronicles] = await allOver([faults, Promise.all(clients), meddling]);
  const ledger = books.flat();
  const wroteMs = Date.now() - startedAtMs;

  const unsettled = await whenSettled(database);
  const settledMs = Date.now() - startedAtMs - wroteMs;
  const badEnds = await stopAll([api, ...workers, ...beside]);
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
      `${outcome.duplicates} duplicates; ${outcome.deactivations} deactivations told, ${stored.cancelled.length} callouts ` +
      `cancelled; all done ${seconds(settledMs)} after the last write`,
  ];
  if (problems.length > 0) story.push(`logs are in ${await keepEvidence(seed, installation.processes(), ledger)}`);
  return { story, problems, events: stored.events.length, callouts: outcome.owed };
}

/** Waits for all of them also when one fails: what still restarts things must not outlive the drill. */
async function allOver<T extends readonly Promise<unknown>[]>(
  activities: [...T],
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(activities);
  return Promise.all(activities);
}

/** No process may have ended by itself; and each, told to stop with nothing left to do, must end with status 0. */
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
