-- CreateTable
CREATE TABLE "webhook_event_error_logs" (
    "id" BIGSERIAL NOT NULL,
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
);

-- CreateIndex
CREATE INDEX "webhook_event_error_logs_tenant_id_id_idx" ON "webhook_event_error_logs"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "webhook_event_error_logs_created_at_idx" ON "webhook_event_error_logs" USING BRIN ("created_at");
