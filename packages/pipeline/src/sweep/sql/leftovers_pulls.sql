-- Deletes leases of fetched callouts. The result of a fetched callout is also in the delivery log.
--
-- $1 bigint  how many at most
-- $2 uuid    the lowest id of a lease that is kept
--
-- locks: none
-- indexes: pull_leases_pkey
DELETE FROM pull_leases WHERE id = ANY(ARRAY(
  SELECT id FROM pull_leases WHERE id < $2 AND outcome IS NOT NULL ORDER BY id LIMIT $1))
RETURNING 1
