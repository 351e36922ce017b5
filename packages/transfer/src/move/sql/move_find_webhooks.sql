-- Finds webhooks by GUID.
--
-- $1 uuid[]  GUIDs
--
-- locks: none
-- indexes: webhooks_guid_key
SELECT FROM webhooks WHERE guid = ANY($1::uuid[]) LIMIT 1
