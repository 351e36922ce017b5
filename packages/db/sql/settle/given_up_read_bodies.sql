-- Reads the bodies of callouts that are given up, for their error logs.
--
-- $1 uuid[]  callouts
--
-- locks: none
-- indexes: callout_bodies_pkey
SELECT callout_id AS id, body FROM callout_bodies WHERE callout_id = ANY($1::uuid[])
