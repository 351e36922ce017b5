import type { Pool } from 'pg';

/** What repairing deliveries needs. */
export interface RepairDeps {
  readonly pool: Pool;
  /** Told after each commit that webhooks have callouts that became due. Must not wait. */
  readonly enqueueDeliver: (webhookKeys: number[]) => void;
}
