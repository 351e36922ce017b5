-- AlterTable
ALTER TABLE "webhook_health" ADD COLUMN     "probe_lease" UUID;

-- Tests and deactivation calls, which go out while callouts to the webhook are put off.
CREATE INDEX "open_callouts_calls" ON "open_callouts" ("webhook_key") WHERE "kind" <> 'event';

-- The episodes that are under way: few, or none.
CREATE INDEX "threshold_windows_episodes" ON "threshold_windows" ("tenant_id", "entity_type") WHERE "episode_started_at" IS NOT NULL;

-- The oldest held callouts of each webhook: one whose receiver is down must not be waded through to find the others'.
CREATE INDEX "open_callouts_held_by_webhook" ON "open_callouts" ("webhook_key", "callout_id") WHERE "state" = 'held';
