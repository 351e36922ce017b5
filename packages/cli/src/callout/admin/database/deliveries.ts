import type { Database } from '@callout/database/connection/database';
import type { CalloutLog } from '@callout/history/log/callouts/callout-log';
import type { ReadWebhookStatus } from '@callout/history/log/webhook-status';
import type { CalloutRepairs } from '@callout/pipeline/repair/callout-repairs';
import type { Administration } from '@callout/tenancy/operator/administration/administration';
import { databaseConfig } from '@callout/runtime/config/command-line';
import { parseConfig } from '@callout/runtime/config/parse';
import type { CommandContext } from '../../context.ts';
import { withDatabase } from './database.ts';

/** The dependencies of commands about deliveries. */
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
 * Opens the parts that the API uses for the same: log, repairs, deactivation. No worker is notified: the sweep of the
 * workers finds due callouts within seconds, and the command needs no Redis.
 */
export function withDeliveries<T>(context: CommandContext, use: (deliveries: Deliveries) => Promise<T>): Promise<T> {
  return withDatabase(context, async (database) => {
    const { openSearchPool } = await import('@callout/database/connection/database');
    const { createCalloutLog } = await import('@callout/history/log/callouts/callout-log');
    const { createWebhookStatusReader } = await import('@callout/history/log/webhook-status');
    const { createCalloutRepairs } = await import('@callout/pipeline/repair/callout-repairs');
    const { createAdministration } = await import('@callout/tenancy/operator/administration/administration');
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
