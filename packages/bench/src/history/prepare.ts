import { openDatabase } from '@callout/db/connection';
import { createTenantStore } from '@callout/db/tenants';
import { nowMs } from '../clock.ts';
import type { LargeWebhook } from '../log/fill-history.ts';
import type { Plan } from '../plan.ts';
import type { CountingReceiver } from '../receiver/counting-receiver.ts';
import { withClient } from '../services/bench-database.ts';
import type { Services } from '../services/services.ts';
import { headersOf, registerWebhooks, setUpTenant, type Callers } from '../setup.ts';
import type { BenchDeps, Stage } from '../stage.ts';
import { processesOf, type Served } from './history-side.ts';
import { seedHistory } from './seed-history.ts';
import type { SeededFacts } from './seeded-database.ts';

export interface Preparing {
  readonly plan: Plan;
  readonly deps: BenchDeps;
  readonly stage: Stage;
  readonly receiver: CountingReceiver;
}

/** The same servers with another database, and keys of its own in Redis. */
export function besides(services: Services, url: string, name: string): Services {
  return { ...services, postgres: { ...services.postgres, url }, redisPrefix: `${services.redisPrefix}_${name}` };
}

/** Makes the tenant that the load is of, with its webhook, in an empty database. */
export async function makeTenant(preparing: Preparing, served: Served): Promise<SeededFacts> {
  const { plan, deps, stage, receiver } = preparing;
  const { url } = served.services.postgres;
  const { integrator, tenantId } = await stage.guarded(setUpTenant(url));
  const api = await stage.guarded(processesOf(served, deps, stage).startApi());
  await stage.guarded(registerWebhooks(api.url, integrator, plan, (webhook) => receiver.urlOf(webhook)));
  await api.stop();
  const large = await withClient(url, async (client) => {
    const { rows } = await client.query<{ key: string; guid: string }>('SELECT key, guid FROM webhooks');
    return { key: Number(rows[0]?.key), guid: rows[0]?.guid ?? '' } satisfies LargeWebhook;
  });
  return { attempts: 0, asked: 0, endMs: Date.now(), tenantId, large, seedS: 0 };
}

/** The same, with a history of so many attempts. */
export async function makeHistory(preparing: Preparing, served: Served, attempts: number): Promise<SeededFacts> {
  const { deps, stage } = preparing;
  const facts = await makeTenant(preparing, served);
  deps.tell(`Making a history of about ${attempts.toLocaleString('en-US')} attempts …`);
  const startedAtMs = nowMs();
  const made = await stage.guarded(
    seedHistory(served.services.postgres.url, { ...facts, attempts }, (line) => deps.tell(line)),
  );
  return { ...facts, attempts: made, asked: attempts, seedS: (nowMs() - startedAtMs) / 1000 };
}

/** New callers of a tenant that there is already, and the address of this run's receiver for its webhook. */
export async function joinTenant(
  url: string,
  { tenantId, large }: SeededFacts,
  receiver: CountingReceiver,
): Promise<Callers> {
  const options = { url, poolSize: 2, applicationName: 'callout-bench', onError: () => undefined };
  const database = openDatabase(options);
  try {
    const tenants = createTenantStore(database);
    const caller = async (role: 'integrator' | 'source') => {
      const userName = `${role}-${Date.now()}@bench.example`;
      const resourceId = await tenants.createResource({ tenantId, email: userName, canCreateWebhooks: true });
      return headersOf(await tenants.createCredential({ tenantId, resourceId, role, userName }));
    };
    await database.pool.query('UPDATE webhooks SET webhook_url = $2, deactivation_url = $2 WHERE key = $1', [
      large.key,
      receiver.urlOf(0),
    ]);
    return { integrator: await caller('integrator'), source: await caller('source'), tenantId };
  } finally {
    await database.close();
  }
}
