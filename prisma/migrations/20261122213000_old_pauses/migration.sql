-- Adds only; processes of 0.2.0 go on beside it.

-- The hourly clean-up looks for old pauses among all old changes of webhooks, which are kept for as long as the webhooks.
-- Not in the schema of Prisma, which has no partial indexes.
CREATE INDEX "webhook_changes_pauses" ON "webhook_changes" ("id") WHERE "change" IN ('paused', 'resumed');
