-- What delivery that holds needs beside the callouts: the hourly threshold, the health of receivers, what happened to
-- webhooks, rotation of secrets, redelivery, and the indexes of the delivery log.

-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "previous_secret_ciphertext" BYTEA,
ADD COLUMN     "previous_secret_key_id" TEXT,
ADD COLUMN     "previous_secret_nonce" BYTEA,
ADD COLUMN     "previous_secret_until" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "callouts" ADD COLUMN     "cancelled_lease" UUID,
ADD COLUMN     "kind" TEXT NOT NULL DEFAULT 'event';
ALTER TABLE "callouts" ADD CONSTRAINT "callouts_kind" CHECK ("kind" IN ('event', 'deactivation', 'test'));

-- AlterTable
ALTER TABLE "open_callouts" ADD COLUMN     "attempts_before" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "entity_type" TEXT,
ADD COLUMN     "is_redelivery" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "kind" TEXT NOT NULL DEFAULT 'event';
UPDATE "open_callouts" o SET "entity_type" = w."entity_type" FROM "webhooks" w WHERE w."key" = o."webhook_key";
ALTER TABLE "open_callouts" ALTER COLUMN "entity_type" SET NOT NULL,
ADD CONSTRAINT "open_callouts_kind" CHECK ("kind" IN ('event', 'deactivation', 'test'));

-- What a threshold holds back goes out oldest first, whichever webhook it is for. Few rows, as long as none is held.
CREATE INDEX "open_callouts_held" ON "open_callouts" ("tenant_id", "entity_type", "callout_id") WHERE "state" = 'held';

-- While a receiver is down its oldest callouts are tried first: they get through their attempts, instead of each of a
-- long backlog getting one.
CREATE INDEX "open_callouts_by_number" ON "open_callouts" ("webhook_key", "sequence_number") WHERE "state" = 'due';

-- Made anew, since a table cannot become partitioned: nothing has written to it before this version.
DROP TABLE "webhook_event_error_logs";

-- CreateTable
CREATE TABLE "webhook_event_error_logs" (
    "id" BIGINT NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "owner_resource_id" INTEGER NOT NULL,
    "entity_type" TEXT NOT NULL,
    "webhook_id" INTEGER NOT NULL,
    "webhook_guid" UUID NOT NULL,
    "sequence_number" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "error_message" TEXT NOT NULL,
    "payload" TEXT NOT NULL,

    CONSTRAINT "webhook_event_error_logs_pkey" PRIMARY KEY ("id")
) PARTITION BY RANGE ("id");

-- CreateIndex
CREATE INDEX "webhook_event_error_logs_tenant_id_id_idx" ON "webhook_event_error_logs"("tenant_id", "id");

-- The last three digits of an id, so that rows of one millisecond have ids of their own.
CREATE SEQUENCE "webhook_event_error_logs_turn" MINVALUE 0 MAXVALUE 999 START WITH 0 CYCLE;

-- AlterTable
ALTER TABLE "notifications" ADD COLUMN     "lease_owner" UUID,
ADD COLUMN     "lease_until" TIMESTAMPTZ(6),
ALTER COLUMN "due_at" SET DEFAULT CURRENT_TIMESTAMP,
ALTER COLUMN "due_at" SET DATA TYPE TIMESTAMPTZ(6);

-- CreateTable
CREATE TABLE "threshold_windows" (
    "tenant_id" INTEGER NOT NULL,
    "entity_type" TEXT NOT NULL,
    "used" INTEGER NOT NULL DEFAULT 0,
    "episode_started_at" TIMESTAMPTZ(3),

    CONSTRAINT "threshold_windows_pkey" PRIMARY KEY ("tenant_id","entity_type")
);

-- Changed by every claim of its tenant and entity: there must be room for the new version on the same page.
ALTER TABLE "threshold_windows" SET (fillfactor = 50);
ALTER TABLE "threshold_use" SET (fillfactor = 50);

-- CreateTable
CREATE TABLE "threshold_episode_webhooks" (
    "tenant_id" INTEGER NOT NULL,
    "entity_type" TEXT NOT NULL,
    "webhook_key" BIGINT NOT NULL,

    CONSTRAINT "threshold_episode_webhooks_pkey" PRIMARY KEY ("tenant_id","entity_type","webhook_key")
);

-- CreateTable
CREATE TABLE "webhook_health" (
    "webhook_key" BIGINT NOT NULL,
    "failed_in_row" INTEGER NOT NULL DEFAULT 0,
    "down_in_row" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "last_failure" TEXT,
    "paused_until" TIMESTAMPTZ(6),
    "pauses" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "webhook_health_pkey" PRIMARY KEY ("webhook_key")
);

-- CreateTable
CREATE TABLE "webhook_changes" (
    "id" UUID NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "webhook_key" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "change" TEXT NOT NULL,
    "cause" TEXT NOT NULL,
    "actor_resource_id" INTEGER,
    "detail" TEXT,

    CONSTRAINT "webhook_changes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhook_changes_webhook_key_id_idx" ON "webhook_changes"("webhook_key", "id");

-- CreateIndex
CREATE INDEX "events_tenant_id_id_idx" ON "events"("tenant_id", "id");

-- Finds an event by the eventID of its caller for as long as the event is kept.
CREATE INDEX "events_by_key" ON "events" ("tenant_id", "event_key") WHERE "event_key" IS NOT NULL;

-- CreateIndex
CREATE INDEX "callouts_tenant_id_id_idx" ON "callouts"("tenant_id", "id");
