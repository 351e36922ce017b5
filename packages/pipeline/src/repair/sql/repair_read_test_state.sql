-- Reads the state of a test.
--
-- $1 uuid  callout
--
-- locks: none
-- indexes: callouts_pkey, open_callouts_pkey
SELECT coalesce((SELECT o.state FROM open_callouts o WHERE o.callout_id = c.id), c.state) AS state
FROM callouts c WHERE c.id = $1
