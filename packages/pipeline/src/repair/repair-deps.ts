import type { Pool } from 'pg';

/** Dependencies of all repairs. */
export interface RepairDeps {
  readonly pool: Pool;
  /** Enqueues webhooks whose callouts became due, after each commit. Must not wait. */
  readonly enqueueDeliver: (webhookKeys: number[]) => void;
}
