-- Deletes changes of configuration. Why a webhook is inactive is shown as long as the webhook is inactive.
--
-- $1 bigint       how many at most
-- $2 timestamptz  changes before are deleted
-- $3 uuid         the lowest id of a change that may be later
--
-- locks: none
-- indexes: changes_pkey, changes_webhook_key_id_idx
DELETE FROM changes WHERE ctid = ANY(ARRAY(
  SELECT c.ctid FROM changes c WHERE c.at < $2 AND c.id < $3 AND NOT (c.action = 'deactivated' AND EXISTS (
    SELECT FROM webhooks w WHERE w.key = c.webhook_key AND NOT w.is_active AND w.deleted_at IS NULL AND NOT EXISTS (
      SELECT FROM changes later WHERE later.webhook_key = w.key AND later.id > c.id AND later.action = 'deactivated')))
  ORDER BY c.id LIMIT $1))
RETURNING 1
