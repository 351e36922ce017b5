import type { Database } from '@callout/database/connection/database';
import { claimRules, delivered } from '../fixtures/callouts.ts';
import { aTenantWithCallouts } from '../fixtures/delivery.ts';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import { releaseHeldCallouts } from './release-held.ts';
import type { Settlement } from '../settle/settlement.rules.ts';

export const hourS = 3_600;

export const idsOf = (callouts: readonly { id: string }[]): string[] => callouts.map(({ id }) => id);

/**
 * A tenant with a threshold, whose webhooks want mails about it, and the tenant's clock. `null`: the installation's
 * threshold, which is none.
 */
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
    /** Moves everything that was counted so far into the past. */
    pass: async (seconds: number): Promise<void> => {
      await pool.query("UPDATE threshold_windows SET second = second - $2 * interval '1 second' WHERE tenant_id = $1", [
        tenantId,
        seconds,
      ]);
      // In two steps, since each row gets the key of another.
      for (const step of [1_000_000 + seconds, -1_000_000]) {
        await pool.query("UPDATE threshold_use SET second = second - $2 * interval '1 second' WHERE tenant_id = $1", [
          tenantId,
          step,
        ]);
      }
    },
    /** Callouts with the index of their webhook. */
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
