import type { Database } from '@callout/database/connection/database';

/** Dependencies of all repairs. */
export interface RepairDeps {
  readonly database: Pick<Database, 'pool'>;
  /** Enqueues webhooks whose callouts became due, after each commit. Must not wait. */
  readonly enqueueDeliver: (webhookKeys: number[]) => void;
}
