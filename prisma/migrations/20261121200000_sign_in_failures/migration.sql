-- CreateTable
CREATE TABLE "sign_in_failures" (
    "user_name_hash" BYTEA NOT NULL,
    "address" TEXT NOT NULL,
    "failed_at" TIMESTAMPTZ(3)[],
    "is_locked" BOOLEAN NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_failures_pkey" PRIMARY KEY ("user_name_hash","address")
);

-- CreateIndex
CREATE INDEX "sign_in_failures_expires_at_idx" ON "sign_in_failures"("expires_at");

-- Under a flood of guesses this table turns over completely every 15 minutes: vacuum by count of dead rows, as the work
-- tables do.
ALTER TABLE "sign_in_failures" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000);
