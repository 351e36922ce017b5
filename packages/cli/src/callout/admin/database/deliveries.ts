import type { Database } from '@callout/db/connection';
import type { CalloutLog, ReadWebhookStatus } from '@callout/db/log';
import type { CalloutRepairs } from '@callout/db/repair';
import type { Administration } from '@callout/db/tenants/operator';
import { databaseConfig, parseConfig } from '@callout/runtime/config';
import type { CommandContext } from '../../context.ts';
import { withDatabase } from './database.ts';

/** What commands about deliveries work with. */
export interface Deliveries {
  readonly database: Database;
  readonly administration: Administration;
  readonly log: CalloutLog;
  readonly repairs: CalloutRepairs;
  readonly status: ReadWebhookStatus;
}

/** Counting a backlog of millions takes this long at most. */
const searchTimeoutMs = 120_000;

/**
 * Opens what the API uses for the same: log, repairs, deactivation. No worker is notified: the sweep of the workers finds what
 * has become due within seconds, and the command needs no Redis.
 */
export function withDeliveries<T>(context: CommandContext, use: (deliveries: Deliveries) => Promise<T>): Promise<T> {
  return withDatabase(context, async (database) => {
    const { openSearchPool } = await import('@callout/db/connection');
    const { createCalloutLog, createWebhookStatusReader } = await import('@callout/db/log');
    const { createCalloutRepairs } = await import('@callout/db/repair');
    const { createAdministration } = await import('@callout/db/tenants/operator');
    const { DATABASE_URL: url } = parseConfig(databaseConfig, context.env);
    const pool = openSearchPool({ url, poolSize: 1, applicationName: 'callout-cli', onError: () => undefined });
    try {
      const search = { pool, timeoutMs: searchTimeoutMs };
      return await use({
        database,
        administration: createAdministration(database),
        log: createCalloutLog(search, database.pool),
        repairs: createCalloutRepairs({ pool: database.pool, enqueueDeliver: () => undefined }),
        status: createWebhookStatusReader(search),
      });
    } finally {
      await pool.end();
    }
  });
}
