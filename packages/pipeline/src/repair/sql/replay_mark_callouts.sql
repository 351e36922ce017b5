-- Marks callouts that a replay has made.
--
-- $1 uuid[]  callouts
-- $2 uuid    the lowest id
-- $3 uuid    the highest id
--
-- locks: callouts
-- indexes: callouts_pkey
UPDATE callouts SET is_replayed = true WHERE id = ANY($1::uuid[]) AND id BETWEEN $2 AND $3
