import type { Database } from '../../connection/database.ts';
import { claimRules, delivered } from '../../fixtures/callouts.ts';
import { aTenantWithCallouts } from '../../fixtures/delivery.ts';
import type { ClaimedCallout } from '../claimed.ts';
import { releaseHeldCallouts } from './release-held.ts';
import type { Settlement } from '@callout/core/settle';

export const hourS = 3_600;

export const idsOf = (callouts: readonly { id: string }[]): string[] => callouts.map(({ id }) => id);

/** A tenant with a threshold, whose webhooks want to hear of it, and its tenant's clock. `null`: that of the installation, which has none. */
export async function aTenantWithThreshold(database: Database, limit: number | null, webhooks = 2) {
  const { pool } = database;
  const tenant = await aTenantWithCallouts(database, { webhooks });
  const { tenantId, keys } = tenant;
  await pool.query('UPDATE tenants SET callout_threshold = $2 WHERE id = $1', [tenantId, limit]);
  await pool.query('UPDATE webhooks SET send_threshold_exceeded_notification = true WHERE tenant_id = $1', [tenantId]);
  return {
    ...tenant,
    /** How many open callouts are in each state. */
    states: async (): Promise<Record<string, number>> => {
      const { rows } = await pool.query<{ state: string; count: number }>(
        'SELECT state, count(*) FROM open_callouts WHERE tenant_id = $1 GROUP BY state',
        [tenantId],
      );
      return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
    },
    release: async (slotsOf: (webhookKey: number) => number = () => 100): Promise<ClaimedCallout[]> => {
      const released = await releaseHeldCallouts(pool, { ...claimRules, atMost: 1_000, slotsOf });
      return released.filter((callout) => callout.tenantId === tenantId);
    },
    settle: (callouts: readonly ClaimedCallout[], next: Settlement['next'] = delivered) =>
      tenant.settle(callouts, next),
    /** What was counted so far becomes older. */
    pass: async (seconds: number): Promise<void> => {
      // In two steps, since each row takes the key of another.
      for (const step of [1_000_000 + seconds, -1_000_000]) {
        await pool.query("UPDATE threshold_use SET second = second - $2 * interval '1 second' WHERE tenant_id = $1", [
          tenantId,
          step,
        ]);
      }
    },
    /** Each with the place of its webhook. */
    mails: async (): Promise<string[]> => {
      const { rows } = await pool.query<{ webhook: number; kind: string }>(
        `SELECT webhook_key AS webhook, kind FROM notifications WHERE tenant_id = $1
         ORDER BY created_at, kind = 'caughtUp', webhook_key`,
        [tenantId],
      );
      return rows.map(({ webhook, kind }) => `${kind} ${keys.indexOf(webhook)}`);
    },
  };
}
