-- Removes occurrences whose events are stored.
--
-- $1 uuid[]  occurrences
--
-- locks: none (webhook_occurrences is locked by nothing else)
-- indexes: webhook_occurrences_pkey
DELETE FROM webhook_occurrences WHERE id = ANY($1::uuid[])
