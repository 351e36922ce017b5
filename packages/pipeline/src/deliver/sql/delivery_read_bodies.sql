-- Reads bodies of callouts.
--
-- $1 uuid[]  callouts
-- $2 uuid    the lowest of them
-- $3 uuid    the highest: with the bounds PostgreSQL looks into the partitions concerned only
--
-- locks: none
-- indexes: callout_bodies_pkey
SELECT callout_id AS id, body FROM callout_bodies WHERE callout_id = ANY($1::uuid[]) AND callout_id BETWEEN $2 AND $3
