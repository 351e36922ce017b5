import type { Client } from 'pg';
import { fillHistory, makeOwners, type LargeWebhook } from '../log/fill-history.ts';
import { historyOf, type SmallTenants } from '../log/history.ts';
import { fillCompanies } from '../search/fill-companies.ts';
import { withClient } from '../services/bench-database.ts';
import { fillBesides } from './fill-besides.ts';
import { wakePartitions } from './wake-partitions.ts';

export interface SeedOptions {
  readonly attempts: number;
  /** When the history ends, in ms since 1970. */
  readonly endMs: number;
  readonly tenantId: number;
  readonly large: LargeWebhook;
}

/** Webhooks of the small tenants share a third of the events. */
const WEBHOOKS_OF_A_SMALL_TENANT = 3;
/** So that a small history has fewer of them. */
const ATTEMPTS_PER_TENANT = 5000;
const MOST_SMALL_TENANTS = 1000;

export function smallTenantsOf(attempts: number): SmallTenants {
  const tenants = Math.min(MOST_SMALL_TENANTS, Math.max(2, Math.round(attempts / ATTEMPTS_PER_TENANT)));
  return { tenants, webhooks: tenants * WEBHOOKS_OF_A_SMALL_TENANT };
}

/**
 * Makes what an installation has after 30 days: the history of `fillHistory`, of which one webhook that there is already
 * owns two fifths, and everything that comes with it. Only that webhook of its tenant stays active.
 * @returns how many attempts were made.
 */
export async function seedHistory(url: string, options: SeedOptions, tell: (line: string) => void): Promise<number> {
  const { endMs, tenantId, large } = options;
  const small = smallTenantsOf(options.attempts);
  const history = historyOf(options.attempts, endMs, small);
  const owners = await withClient(url, (client) => makeOwners(client, { tenantId, small, large }));
  const attempts = await fillHistory(url, { history, ...owners }, tell);
  await withClient(url, async (client) => {
    await settle(client, options);
    tell('  records …');
    await fillCompanies(client, { tenantId, companies: history.records }, () => undefined);
    tell('  statistics, mails, error logs, keys …');
    await fillBesides(client, history);
    tell('  the day that is written to …');
    await wakePartitions(client, new Date(endMs));
    await client.query('VACUUM (ANALYZE)');
  });
  return attempts;
}

/** What the rows of the webhooks say must fit their history, and the load is owed to none but the large one. */
async function settle(client: Client, { tenantId, large }: SeedOptions): Promise<void> {
  await client.query('UPDATE webhooks SET is_active = false WHERE tenant_id = $1 AND key <> $2', [tenantId, large.key]);
  await client.query(
    `UPDATE webhooks w SET last_sequence = n.last FROM (
       SELECT key, (SELECT max(sequence_number) FROM callouts c WHERE c.webhook_key = key) AS last FROM webhooks
     ) AS n WHERE n.key = w.key AND n.last IS NOT NULL`,
  );
}
