-- Mail is gathered: what a recipient is told is stored as it happens, and mails are put together of that.
-- AlterTable
ALTER TABLE "notifications" ADD COLUMN     "mail_at" TIMESTAMPTZ(3),
ADD COLUMN     "mail_id" UUID,
ALTER COLUMN "tenant_id" DROP NOT NULL,
ALTER COLUMN "webhook_key" DROP NOT NULL;

-- CreateTable
CREATE TABLE "mail_confirmations" (
    "tenant_id" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "requests" INTEGER NOT NULL DEFAULT 1,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3),

    CONSTRAINT "mail_confirmations_pkey" PRIMARY KEY ("tenant_id","address")
);

-- CreateTable
CREATE TABLE "failing_episodes" (
    "webhook_key" BIGINT NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "told_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "failing_episodes_pkey" PRIMARY KEY ("webhook_key")
);

-- CreateTable
CREATE TABLE "installation_alerts" (
    "name" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "detail" TEXT NOT NULL,

    CONSTRAINT "installation_alerts_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE UNIQUE INDEX "mail_confirmations_token_hash_key" ON "mail_confirmations"("token_hash");

-- CreateIndex
CREATE INDEX "notifications_mail_id_idx" ON "notifications"("mail_id");

-- CreateIndex
CREATE INDEX "notifications_tenant_id_kind_mail_at_idx" ON "notifications"("tenant_id", "kind", "mail_at");

-- What is not in a mail yet: looked for every second, and nearly always nothing.
CREATE INDEX "notifications_loose" ON "notifications" ("created_at") WHERE "state" = 'waiting' AND "mail_id" IS NULL;

-- Until now each was a mail of its own, and one that was tried already must keep its Message-ID.
UPDATE "notifications" SET "mail_id" = "id", "mail_at" = "created_at";
