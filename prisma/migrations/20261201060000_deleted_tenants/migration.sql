-- A tenant that is being deleted is marked first, so that erasing what it has can be cut short and gone on with.
-- AlterTable
ALTER TABLE "tenants" ADD COLUMN     "deleting_at" TIMESTAMPTZ(3),
ADD COLUMN     "erased_at" TIMESTAMPTZ(3);

-- Workers ask for them every few seconds.
CREATE INDEX "tenants_deleting" ON "tenants" ("id") WHERE "deleting_at" IS NOT NULL;
