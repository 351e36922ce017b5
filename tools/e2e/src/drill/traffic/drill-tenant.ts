import type { Database } from '@callout/database/connection/database';
import { callApi, itemId, makeTenant, registerWebhook, type TenantUnderTest } from '@callout/testing';
import type { Random } from '../random.ts';
import { createPublishedKeys, type PublishedKeys } from '../receivers/published-keys.ts';
import { type DrillReceivers, startDrillReceivers } from '../receivers/receivers.ts';
import { companyUdf } from './entities.ts';
import type { LedgerEntry } from './ledger.ts';
import { readJwks } from './rotate-key.ts';
import { drillWebhooks, registrationOf, type DrillWebhook } from './webhooks.ts';
import { write, type WriterDeps } from './writer.ts';
import { createWriteSource } from './writes.ts';

/** Called with a function that ends a thing that was started. */
export type OnStop = (stop: () => Promise<void>) => void;

/** A tenant with webhooks of every kind and their receivers. */
export interface DrillTenant {
  readonly tenant: TenantUnderTest;
  readonly webhooks: readonly DrillWebhook[];
  /** The id of each webhook, by its name. */
  readonly ids: ReadonlyMap<string, number>;
  readonly receivers: DrillReceivers;
  readonly keys: PublishedKeys;
  /** The path of the JWKS. */
  readonly keysPath: string;
}

/** Makes the tenant of a drill. @param port of the API. */
export async function makeDrillTenant(
  database: Database,
  port: number,
  random: Random,
  onStop: OnStop,
): Promise<DrillTenant> {
  const tenant = await makeTenant(database);
  const webhooks = drillWebhooks(tenant, random.branch('webhooks'));
  const keys = createPublishedKeys();
  const receivers = await startDrillReceivers(random.branch('receivers'), webhooks, keys);
  onStop(() => receivers.stop());
  const udf = { method: 'POST', path: '/UserDefinedFieldDefinitions', body: companyUdf.definition } as const;
  const udfId = await itemId(callApi(port, tenant.admin, udf));
  const ids = new Map<string, number>();
  for (const webhook of webhooks) {
    const owner = webhook.fate === 'orphaned' ? tenant.owner : tenant.integrator;
    const id = await registerWebhook(port, owner, registrationOf(webhook, receivers.urlOf(webhook), udfId, receivers));
    ids.set(webhook.name, id);
  }
  const keysPath = await keysPathOf(port, tenant);
  keys.publish((await readJwks(port, keysPath)) ?? []);
  return { tenant, webhooks, ids, receivers, keys, keysPath };
}

async function keysPathOf(port: number, { admin }: TenantUnderTest): Promise<string> {
  const reply = await callApi(port, admin, { method: 'GET', path: '/WebhookKeys' });
  const { body } = reply as { body?: { items?: readonly { signingKeysUrl: string }[] } };
  const [key] = body?.items ?? [];
  if (key === undefined) throw new Error(`the tenant has no public key: ${JSON.stringify(reply)}`);
  return new URL(key.signingKeysUrl, 'http://127.0.0.1').pathname;
}

/** How clients behave; `requests` is the number of requests that all of them have sent. */
export interface ClientOptions extends Pick<WriterDeps, 'onWrongZone' | 'longestPauseMs' | 'patienceMs'> {
  readonly writers: number;
  readonly port: (requests: number) => number | undefined;
  readonly isOver: (requests: number) => boolean;
}

/** Starts clients of the product that change records. */
export function startClients(
  { tenant }: DrillTenant,
  random: Random,
  { writers, port, isOver, ...options }: ClientOptions,
): { readonly requests: () => number; readonly ledger: Promise<readonly LedgerEntry[]> } {
  let requests = 0;
  const clients = Array.from({ length: writers }, (_, nth) => {
    const source = createWriteSource(random.branch(`writes ${nth}`), nth, tenant);
    return write({
      ...options,
      source: { next: () => ((requests += 1), source.next()) },
      random: random.branch(`pauses ${nth}`),
      credential: tenant.source,
      ownId: tenant.sourceId,
      port: () => port(requests),
      isOver: () => isOver(requests),
    });
  });
  return { requests: () => requests, ledger: Promise.all(clients).then((books) => books.flat()) };
}
