-- Makes a deactivation call due now, unless a worker is sending the call.
--
-- $1 uuid  callout
--
-- locks: open_callouts
-- indexes: none
UPDATE open_callouts SET due_at = now()
WHERE callout_id = $1 AND kind = 'deactivation' AND due_at > now() AND (lease_until IS NULL OR lease_until <= now())
RETURNING callout_id
