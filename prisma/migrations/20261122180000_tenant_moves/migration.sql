-- Moving a tenant to another zone: see docs/zones.md. Adds only; processes of 0.1.0 go on beside it, but a tenant is not
-- moved while one of them runs, since they would not see that it is being moved.

-- AlterTable
ALTER TABLE "tenants" ADD COLUMN "move_state" TEXT;
ALTER TABLE "tenants" ADD CONSTRAINT "tenants_move_state"
  CHECK ("move_state" IN ('arriving', 'leaving', 'closed', 'left'));

-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN "is_moving" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "zone_users" (
    "user_name_folded" TEXT NOT NULL,
    "zone_id" INTEGER NOT NULL,

    CONSTRAINT "zone_users_pkey" PRIMARY KEY ("user_name_folded")
);

-- CreateTable
CREATE TABLE "tenant_moves" (
    "id" UUID NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "direction" TEXT NOT NULL,
    "zone_name" TEXT NOT NULL,
    "horizon" TIMESTAMPTZ(3),
    "round_began_at" TIMESTAMPTZ(3),
    "round" INTEGER NOT NULL DEFAULT 0,
    "step" TEXT,
    "after_key" TEXT,
    "copied" BIGINT NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "tenant_moves_pkey" PRIMARY KEY ("id")
);
ALTER TABLE "tenant_moves" ADD CONSTRAINT "tenant_moves_direction" CHECK ("direction" IN ('in', 'out'));

-- CreateTable
CREATE TABLE "tenant_move_keys" (
    "move_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "source_key" BIGINT NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "target_key" BIGINT NOT NULL,

    CONSTRAINT "tenant_move_keys_pkey" PRIMARY KEY ("move_id","kind","source_key")
);

-- CreateTable
CREATE TABLE "tenant_move_open" (
    "move_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "tenant_id" INTEGER NOT NULL,

    CONSTRAINT "tenant_move_open_pkey" PRIMARY KEY ("move_id","kind","id")
);

-- CreateIndex
CREATE INDEX "zone_users_zone_id_idx" ON "zone_users"("zone_id");

-- CreateIndex
CREATE INDEX "tenant_moves_tenant_id_idx" ON "tenant_moves"("tenant_id");

-- CreateIndex
CREATE INDEX "tenant_move_keys_tenant_id_idx" ON "tenant_move_keys"("tenant_id");

-- CreateIndex
CREATE INDEX "tenant_move_open_tenant_id_idx" ON "tenant_move_open"("tenant_id");

-- AddForeignKey
ALTER TABLE "zone_users" ADD CONSTRAINT "zone_users_zone_id_fkey" FOREIGN KEY ("zone_id") REFERENCES "zones"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What was set up is refused where it has been copied already. The API refuses changes of a tenant that is being moved
-- before that; this is for the request that signed in a moment before, whatever process serves it. It waits for the end
-- of a change that is under way, or that change waits for it: both lock the row of the tenant. Only rarely changed tables
-- have it, and of webhooks not the columns that match and settle write. Class CM is Callout's own.
CREATE FUNCTION refuse_while_moving() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  state text;
  deleting timestamptz;
BEGIN
  IF current_setting('callout.moving', true) = 'on' THEN
    RETURN coalesce(NEW, OLD);
  END IF;
  SELECT move_state, deleting_at INTO state, deleting FROM tenants WHERE id = coalesce(NEW.tenant_id, OLD.tenant_id) FOR SHARE;
  IF deleting IS NULL AND state IN ('arriving', 'closed', 'left') THEN
    RAISE EXCEPTION 'the tenant is being moved to another zone' USING ERRCODE = 'CM001';
  END IF;
  RETURN coalesce(NEW, OLD);
END $$;

CREATE TRIGGER refuse_while_moving BEFORE INSERT OR UPDATE OR DELETE ON resources FOR EACH ROW EXECUTE FUNCTION refuse_while_moving();
CREATE TRIGGER refuse_while_moving BEFORE INSERT OR UPDATE OR DELETE ON credentials FOR EACH ROW EXECUTE FUNCTION refuse_while_moving();
CREATE TRIGGER refuse_while_moving BEFORE INSERT OR UPDATE OR DELETE ON udf_definitions FOR EACH ROW EXECUTE FUNCTION refuse_while_moving();
CREATE TRIGGER refuse_while_moving BEFORE INSERT OR UPDATE OR DELETE ON webhook_fields FOR EACH ROW EXECUTE FUNCTION refuse_while_moving();
CREATE TRIGGER refuse_while_moving BEFORE INSERT OR UPDATE OR DELETE ON webhook_udf_fields FOR EACH ROW EXECUTE FUNCTION refuse_while_moving();
CREATE TRIGGER refuse_while_moving BEFORE INSERT OR UPDATE OR DELETE ON webhook_excluded_resources FOR EACH ROW EXECUTE FUNCTION refuse_while_moving();
CREATE TRIGGER refuse_while_moving BEFORE INSERT OR DELETE OR UPDATE OF version, is_active, deleted_at, expires_at ON webhooks
  FOR EACH ROW EXECUTE FUNCTION refuse_while_moving();
CREATE TRIGGER refuse_while_moving BEFORE INSERT OR UPDATE ON mail_confirmations FOR EACH ROW EXECUTE FUNCTION refuse_while_moving();

-- The same for the settings of the tenant itself, which are copied with the rest.
CREATE FUNCTION refuse_settings_while_moving() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(current_setting('callout.moving', true), '') <> 'on' THEN
    RAISE EXCEPTION 'the tenant is being moved to another zone' USING ERRCODE = 'CM001';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse_settings_while_moving BEFORE UPDATE ON tenants FOR EACH ROW
  WHEN (OLD.move_state IS NOT NULL AND OLD.deleting_at IS NULL AND NEW.deleting_at IS NULL
    AND (OLD.name, OLD.zone_id, OLD.callout_threshold, OLD.api_requests_per_hour)
      IS DISTINCT FROM (NEW.name, NEW.zone_id, NEW.callout_threshold, NEW.api_requests_per_hour))
  EXECUTE FUNCTION refuse_settings_while_moving();
