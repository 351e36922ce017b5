-- The first schema. What Prisma's schema cannot say is at the end: partitions, partial indexes, storage settings.
-- History tables are PARTITION BY RANGE on their own time-ordered UUID (version 7), so that the primary key stays one
-- column and retention drops a day at a time. There is no default partition: it would have to be scanned for every new
-- partition. The partitions themselves are made by the application, a week ahead.

-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "zones" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "web_url" TEXT NOT NULL,
    "is_default" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "zones_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tenants" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "zone_id" INTEGER NOT NULL,
    "callout_threshold" INTEGER,
    "api_requests_per_hour" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tenants_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "resources" (
    "tenant_id" INTEGER NOT NULL,
    "id" INTEGER NOT NULL,
    "email" TEXT NOT NULL,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "can_create_webhooks" BOOLEAN NOT NULL DEFAULT false,
    "fields" JSON NOT NULL DEFAULT '{}',
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "resources_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "credentials" (
    "id" SERIAL NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "resource_id" INTEGER NOT NULL,
    "user_name" TEXT NOT NULL,
    "user_name_folded" TEXT NOT NULL,
    "api_integration_code" TEXT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "role" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "credentials_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "counters" (
    "tenant_id" INTEGER NOT NULL,
    "collection" TEXT NOT NULL,
    "next_id" BIGINT NOT NULL DEFAULT 1,

    CONSTRAINT "counters_pkey" PRIMARY KEY ("tenant_id","collection")
);

-- CreateTable
CREATE TABLE "webhooks" (
    "key" BIGSERIAL NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "entity_type" TEXT NOT NULL,
    "id" INTEGER NOT NULL,
    "guid" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "webhook_url" TEXT NOT NULL,
    "deactivation_url" TEXT NOT NULL,
    "is_active" BOOLEAN NOT NULL,
    "activated_at" TIMESTAMPTZ(6),
    "is_subscribed_to_create_events" BOOLEAN NOT NULL,
    "is_subscribed_to_update_events" BOOLEAN NOT NULL,
    "is_subscribed_to_delete_events" BOOLEAN NOT NULL,
    "send_threshold_exceeded_notification" BOOLEAN NOT NULL,
    "notification_email_address" TEXT,
    "owner_resource_id" INTEGER NOT NULL,
    "secret_key_id" TEXT NOT NULL,
    "secret_nonce" BYTEA NOT NULL,
    "secret_ciphertext" BYTEA NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "last_sequence" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "webhook_fields" (
    "tenant_id" INTEGER NOT NULL,
    "entity_type" TEXT NOT NULL,
    "id" INTEGER NOT NULL,
    "webhook_key" BIGINT NOT NULL,
    "field_id" INTEGER NOT NULL,
    "is_subscribed_field" BOOLEAN NOT NULL,
    "is_display_always_field" BOOLEAN NOT NULL,

    CONSTRAINT "webhook_fields_pkey" PRIMARY KEY ("tenant_id","entity_type","id")
);

-- CreateTable
CREATE TABLE "webhook_udf_fields" (
    "tenant_id" INTEGER NOT NULL,
    "entity_type" TEXT NOT NULL,
    "id" INTEGER NOT NULL,
    "webhook_key" BIGINT NOT NULL,
    "udf_field_id" INTEGER NOT NULL,
    "is_subscribed_field" BOOLEAN NOT NULL,
    "is_display_always_field" BOOLEAN NOT NULL,

    CONSTRAINT "webhook_udf_fields_pkey" PRIMARY KEY ("tenant_id","entity_type","id")
);

-- CreateTable
CREATE TABLE "webhook_excluded_resources" (
    "tenant_id" INTEGER NOT NULL,
    "entity_type" TEXT NOT NULL,
    "id" INTEGER NOT NULL,
    "webhook_key" BIGINT NOT NULL,
    "resource_id" INTEGER NOT NULL,

    CONSTRAINT "webhook_excluded_resources_pkey" PRIMARY KEY ("tenant_id","entity_type","id")
);

-- CreateTable
CREATE TABLE "udf_definitions" (
    "tenant_id" INTEGER NOT NULL,
    "id" INTEGER NOT NULL,
    "entity_type" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_folded" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "label_folded" TEXT NOT NULL,
    "data_type" TEXT NOT NULL,
    "list_values" JSON,

    CONSTRAINT "udf_definitions_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "records" (
    "tenant_id" INTEGER NOT NULL,
    "entity_type" TEXT NOT NULL,
    "id" BIGINT NOT NULL,
    "version" BIGINT NOT NULL,
    "fields" JSON NOT NULL,
    "udf_fields" JSON NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "records_pkey" PRIMARY KEY ("tenant_id","entity_type","id")
);

-- CreateTable
CREATE TABLE "events" (
    "id" UUID NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "entity_type" TEXT NOT NULL,
    "record_id" BIGINT NOT NULL,
    "record_version" BIGINT NOT NULL,
    "action" TEXT NOT NULL,
    "person_id" INTEGER NOT NULL,
    "event_key" TEXT,
    "event_time" TIMESTAMPTZ(0) NOT NULL,
    "accepted_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "changed_fields" TEXT[],
    "changed_udfs" INTEGER[],
    "fields" JSON NOT NULL,
    "udf_fields" JSON NOT NULL,

    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
) PARTITION BY RANGE ("id");

-- CreateTable
CREATE TABLE "event_keys" (
    "tenant_id" INTEGER NOT NULL,
    "event_key" TEXT NOT NULL,
    "event_id" UUID NOT NULL,
    "content_hash" BYTEA NOT NULL,
    "accepted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_keys_pkey" PRIMARY KEY ("tenant_id","event_key")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "credential_id" INTEGER NOT NULL,
    "route" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "status" INTEGER NOT NULL,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("credential_id","route","key")
);

-- CreateTable
CREATE TABLE "pending_events" (
    "event_id" UUID NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "entity_type" TEXT NOT NULL,
    "record_id" BIGINT NOT NULL,
    "record_version" BIGINT NOT NULL,
    "wake_at" TIMESTAMPTZ(3) NOT NULL,
    "wakes" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "pending_events_pkey" PRIMARY KEY ("event_id")
);

-- CreateTable
CREATE TABLE "event_matches" (
    "event_id" UUID NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "matched_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "verdicts" JSON NOT NULL,

    CONSTRAINT "event_matches_pkey" PRIMARY KEY ("event_id")
) PARTITION BY RANGE ("event_id");

-- CreateTable
CREATE TABLE "callouts" (
    "id" UUID NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "webhook_key" BIGINT NOT NULL,
    "sequence_number" BIGINT NOT NULL,
    "event_id" UUID,
    "entity_type" TEXT NOT NULL,
    "record_id" BIGINT NOT NULL,
    "action" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'open',
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "callouts_pkey" PRIMARY KEY ("id")
) PARTITION BY RANGE ("id");

-- CreateTable
CREATE TABLE "callout_bodies" (
    "callout_id" UUID NOT NULL,
    "body" TEXT NOT NULL,

    CONSTRAINT "callout_bodies_pkey" PRIMARY KEY ("callout_id")
) PARTITION BY RANGE ("callout_id");

-- CreateTable
CREATE TABLE "open_callouts" (
    "callout_id" UUID NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "webhook_key" BIGINT NOT NULL,
    "record_id" BIGINT NOT NULL,
    "action" TEXT NOT NULL,
    "event_id" TEXT,
    "sequence_number" BIGINT NOT NULL,
    "state" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "attempts_made" INTEGER NOT NULL DEFAULT 0,
    "lease_owner" UUID,
    "lease_until" TIMESTAMPTZ(3),

    CONSTRAINT "open_callouts_pkey" PRIMARY KEY ("callout_id")
);

-- CreateTable
CREATE TABLE "attempts" (
    "id" UUID NOT NULL,
    "callout_id" UUID NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "webhook_key" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "url" TEXT NOT NULL,
    "request_headers" JSON NOT NULL,
    "status" INTEGER,
    "response_headers" JSON,
    "response_body" BYTEA,
    "failure_reason" TEXT,
    "failure" TEXT,
    "next_attempt_at" TIMESTAMPTZ(3),

    CONSTRAINT "attempts_pkey" PRIMARY KEY ("id")
) PARTITION BY RANGE ("id");

-- CreateTable
CREATE TABLE "threshold_use" (
    "tenant_id" INTEGER NOT NULL,
    "entity_type" TEXT NOT NULL,
    "second" TIMESTAMPTZ(0) NOT NULL,
    "used" INTEGER NOT NULL,

    CONSTRAINT "threshold_use_pkey" PRIMARY KEY ("tenant_id","entity_type","second")
);

-- CreateTable
CREATE TABLE "notifications" (
    "id" UUID NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "webhook_key" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "occasion" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "content" JSON NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(3),

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "zones_name_key" ON "zones"("name");

-- CreateIndex
CREATE UNIQUE INDEX "tenants_name_key" ON "tenants"("name");

-- CreateIndex
CREATE UNIQUE INDEX "credentials_user_name_folded_key" ON "credentials"("user_name_folded");

-- CreateIndex
CREATE INDEX "credentials_tenant_id_resource_id_idx" ON "credentials"("tenant_id", "resource_id");

-- CreateIndex
CREATE UNIQUE INDEX "webhooks_guid_key" ON "webhooks"("guid");

-- CreateIndex
CREATE UNIQUE INDEX "webhooks_tenant_id_entity_type_id_key" ON "webhooks"("tenant_id", "entity_type", "id");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_fields_webhook_key_field_id_key" ON "webhook_fields"("webhook_key", "field_id");

-- CreateIndex
CREATE INDEX "webhook_udf_fields_tenant_id_udf_field_id_idx" ON "webhook_udf_fields"("tenant_id", "udf_field_id");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_udf_fields_webhook_key_udf_field_id_key" ON "webhook_udf_fields"("webhook_key", "udf_field_id");

-- CreateIndex
CREATE INDEX "webhook_excluded_resources_tenant_id_resource_id_idx" ON "webhook_excluded_resources"("tenant_id", "resource_id");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_excluded_resources_webhook_key_resource_id_key" ON "webhook_excluded_resources"("webhook_key", "resource_id");

-- CreateIndex
CREATE UNIQUE INDEX "udf_definitions_tenant_id_entity_type_name_folded_key" ON "udf_definitions"("tenant_id", "entity_type", "name_folded");

-- CreateIndex
CREATE UNIQUE INDEX "udf_definitions_tenant_id_entity_type_label_folded_key" ON "udf_definitions"("tenant_id", "entity_type", "label_folded");

-- CreateIndex
CREATE INDEX "event_keys_accepted_at_idx" ON "event_keys" USING BRIN ("accepted_at");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys" USING BRIN ("created_at");

-- CreateIndex
CREATE INDEX "pending_events_tenant_id_entity_type_record_id_record_versi_idx" ON "pending_events"("tenant_id", "entity_type", "record_id", "record_version");

-- CreateIndex
CREATE INDEX "pending_events_wake_at_idx" ON "pending_events"("wake_at");

-- CreateIndex
CREATE INDEX "callouts_webhook_key_sequence_number_idx" ON "callouts"("webhook_key", "sequence_number");

-- CreateIndex
CREATE INDEX "open_callouts_webhook_key_record_id_sequence_number_idx" ON "open_callouts"("webhook_key", "record_id", "sequence_number");

-- CreateIndex
CREATE INDEX "attempts_callout_id_idx" ON "attempts"("callout_id");

-- CreateIndex
CREATE INDEX "notifications_state_due_at_idx" ON "notifications"("state", "due_at");

-- CreateIndex
CREATE UNIQUE INDEX "notifications_webhook_key_kind_occasion_recipient_key" ON "notifications"("webhook_key", "kind", "occasion", "recipient");

-- AddForeignKey
ALTER TABLE "tenants" ADD CONSTRAINT "tenants_zone_id_fkey" FOREIGN KEY ("zone_id") REFERENCES "zones"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "resources" ADD CONSTRAINT "resources_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenants"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_tenant_id_resource_id_fkey" FOREIGN KEY ("tenant_id", "resource_id") REFERENCES "resources"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenants"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_fields" ADD CONSTRAINT "webhook_fields_webhook_key_fkey" FOREIGN KEY ("webhook_key") REFERENCES "webhooks"("key") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_udf_fields" ADD CONSTRAINT "webhook_udf_fields_webhook_key_fkey" FOREIGN KEY ("webhook_key") REFERENCES "webhooks"("key") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_udf_fields" ADD CONSTRAINT "webhook_udf_fields_tenant_id_udf_field_id_fkey" FOREIGN KEY ("tenant_id", "udf_field_id") REFERENCES "udf_definitions"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_excluded_resources" ADD CONSTRAINT "webhook_excluded_resources_webhook_key_fkey" FOREIGN KEY ("webhook_key") REFERENCES "webhooks"("key") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "udf_definitions" ADD CONSTRAINT "udf_definitions_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenants"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- The lanes of the worker ask for the due callouts of one webhook, oldest first, thousands of times a minute; rows that
-- wait for an earlier callout of their record, or are held by the threshold, are not in their way.
CREATE INDEX "open_callouts_due" ON "open_callouts" ("webhook_key", "due_at") WHERE "state" = 'due';

-- The webhooks of one entity that take part in matching; deleted ones would only pile up in it.
CREATE INDEX "webhooks_matching" ON "webhooks" ("tenant_id", "entity_type") WHERE "deleted_at" IS NULL;

-- One default zone at most.
CREATE UNIQUE INDEX "zones_default" ON "zones" ("is_default") WHERE "is_default";

ALTER TABLE "open_callouts" ADD CONSTRAINT "open_callouts_state" CHECK ("state" IN ('waiting', 'held', 'due'));
ALTER TABLE "callouts" ADD CONSTRAINT "callouts_state" CHECK ("state" IN ('open', 'delivered', 'failed', 'cancelled'));
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_role" CHECK ("role" IN ('integrator', 'source', 'admin'));

-- Work tables turn over completely all the time: vacuum by count of dead rows, not by share, and without pauses, or their
-- indexes fill with entries of rows long gone. Half-empty pages let a lease be an update in place.
ALTER TABLE "pending_events" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE "open_callouts" SET (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000, autovacuum_vacuum_cost_delay = 0);

-- These rows are updated in place with every batch (the last sequence number, the next id, a record's version).
ALTER TABLE "webhooks" SET (fillfactor = 50);
ALTER TABLE "counters" SET (fillfactor = 50);
ALTER TABLE "records" SET (fillfactor = 80);
