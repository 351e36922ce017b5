-- What happened to a record, and did its change arrive: what a log is asked when something is missing. Without these, a
-- record is looked for from the newest callout of the webhook on, and one that is not there through all of them.
-- Neither column ever changes, so the stamp of a callout is still written in place.
-- CreateIndex
CREATE INDEX "callouts_webhook_key_record_id_idx" ON "callouts"("webhook_key", "record_id");

-- CreateIndex
CREATE INDEX "events_tenant_id_record_id_idx" ON "events"("tenant_id", "record_id");

-- Callouts of each action but the one that nearly all have, in their order. Storing an update costs no more.
CREATE INDEX "callouts_by_action" ON "callouts" ("webhook_key", "action", "id") WHERE "action" <> 'Update';
