import type { Database } from '@callout/database/connection/database';
import { workOnDigests } from '@callout/pipeline/digest/digests';
import { createLedger, verify } from '@callout/receiver';
import type { Arrival } from '../receivers/arrivals.ts';
import type { DrillTenant } from '../traffic/drill-tenant.ts';

/** Makes all digests due, as at a full hour. */
export async function endHour({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await pool.query('UPDATE webhook_chains SET next_digest_at = now()');
}

/** Sends the digests that are due, beside the workers. */
export async function sendDigests(database: Pick<Database, 'pool'>): Promise<void> {
  await endHour(database);
  await workOnDigests(database.pool, { isStopping: () => false, onDigest: () => undefined });
}

/**
 * Compares what came with the digests, as a receiver would: nothing may be missing or different. What is open in the
 * last digest has ended since.
 */
export async function checkDigests(
  { webhooks, keys }: Pick<DrillTenant, 'webhooks' | 'keys'>,
  arrivals: readonly Arrival[],
): Promise<{ readonly problems: string[]; readonly covered: number }> {
  const problems: string[] = [];
  let covered = 0;
  for (const { name, secretKey } of webhooks.filter(({ hasDigests }) => hasDigests === true)) {
    const ledger = createLedger();
    const came = arrivals.filter(({ webhook }) => webhook === name);
    for (const { request } of came) {
      const now = () => request.receivedAt;
      await ledger.add(await verify(request.body, request.headers, [secretKey, ...keys.all()], { now }), request.body);
    }
    const [first] = came;
    if (first === undefined) continue;
    const report = await ledger.check(first.body.Guid);
    for (const key of ['missing', 'uncovered', 'different'] as const) {
      if (report[key].length > 0) problems.push(`${name}: its digests find ${key}: ${JSON.stringify(report[key])}`);
    }
    covered += report.covered?.to ?? 0;
  }
  return { problems, covered };
}
