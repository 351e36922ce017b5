-- The delivery log shows the callouts of a webhook in order of their ids, newest first, from whatever moment on. Those of
-- a tenant are the newest of each of its webhooks, merged: one index serves both, and storing a callout costs no more.
-- DropIndex
DROP INDEX "callouts_tenant_id_id_idx";

-- CreateIndex
CREATE INDEX "callouts_webhook_key_id_idx" ON "callouts"("webhook_key", "id");

-- The last attempts of callouts that failed: one callout in thousands, as a rule, and what a log is most often asked for.
-- The state of a callout has no index, for its stamp is written in place only as long as no index depends on it.
CREATE INDEX "attempts_failed" ON "attempts" ("webhook_key", "callout_id")
  WHERE "next_attempt_at" IS NULL AND ("status" IS NULL OR "status" NOT BETWEEN 200 AND 299);
