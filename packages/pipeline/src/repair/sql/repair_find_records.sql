-- Finds the records of callouts.
--
-- $1 uuid[]  callouts
-- $2 uuid    the lowest id
-- $3 uuid    the highest id
--
-- locks: none
-- indexes: callouts_pkey
SELECT DISTINCT record_id AS "recordId" FROM callouts
WHERE id = ANY($1::uuid[]) AND id BETWEEN $2 AND $3
