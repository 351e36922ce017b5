-- Counts calls as over. A call whose lease has ended may be another worker's by now, and then is still counted.
--
-- $1 bigint[]  keys of the webhooks
-- $2 uuid[]    callouts
-- $3 uuid[]    their leases
--
-- locks: none
-- indexes: limited_calls_pkey
WITH unhurried AS MATERIALIZED (
  SELECT set_config('synchronous_commit', 'off', true)
)
DELETE FROM limited_calls c USING unhurried, unnest($1::bigint[], $2::uuid[], $3::uuid[])
  AS over (webhook_key, callout_id, lease_owner)
WHERE c.webhook_key = over.webhook_key AND c.callout_id = over.callout_id AND c.lease_owner = over.lease_owner
