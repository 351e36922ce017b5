-- Old keys are forgotten all the time, and new ones take their place on the same pages: a block range soon spans all ages,
-- and finding the old ones would read the whole table.
-- DropIndex
DROP INDEX "event_keys_accepted_at_idx";

-- DropIndex
DROP INDEX "idempotency_keys_created_at_idx";

-- CreateIndex
CREATE INDEX "event_keys_accepted_at_idx" ON "event_keys"("accepted_at");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");
