-- Several workers look for the same alerts, and one may see what another cannot: an alert is over when none has seen it
-- for a while.
-- AlterTable
ALTER TABLE "installation_alerts" ADD COLUMN     "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
